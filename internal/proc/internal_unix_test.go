//go:build unix

package proc

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Signal 0 keeps this harmless should the guard be broken.
func TestDangerousGroupsAreNeverSignalled(t *testing.T) {
	for _, pgid := range []int{-5, -1, 0, 1, unix.Getpgrp()} {
		require.ErrorIs(t, signalGroup(pgid, 0), errUnsafeGroup, "group %d", pgid)
	}
	assert.NoError(t, signalGroup(1<<30, 0), "a group that is gone is no error")
}

func TestEnvProgram(t *testing.T) {
	for line, want := range map[string]string{
		"/usr/bin/env node":            "node",
		"/usr/bin/env\tnode":           "node",
		"/usr/bin/env -S node --flag":  "node",
		"/usr/bin/env -S A=b node":     "node",
		"/usr/bin/env -S PATH=/x node": "", // another PATH than the child's
		"/usr/bin/env -i node":         "",
		"/usr/bin/env node --flag":     "", // one argument or two, depending on the system
		"/usr/bin/env /opt/node":       "",
		"/usr/bin/env":                 "",
		"/bin/sh -e":                   "",
		"":                             "",
	} {
		got, ok := envProgram(line)
		assert.Equal(t, want, got, line)
		assert.Equal(t, want != "", ok, line)
	}
}
