//go:build unix

package terminal_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp/terminal"
)

func TestShellLines(t *testing.T) {
	for _, tc := range []struct{ line, want string }{
		{"echo hi && echo there", "hi\nthere\n"},
		{"echo 'a  b' | tr a-z A-Z", "A  B\n"},
		{"A=1;echo $A", "1\n"},
		{"exit 3", ""},
		{"./a tool", "an executable\n"},
		{"./a tool && echo two", "not the tool\ntwo\n"},
	} {
		t.Run(tc.line, func(t *testing.T) {
			req := request(t)
			req.Command = tc.line
			require.NoError(t, os.WriteFile(filepath.Join(req.CWD, "a tool"), []byte("#!/bin/sh\necho an executable\n"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(req.CWD, "a"), []byte("#!/bin/sh\necho not the $1\n"), 0o755))
			out := wait(t, create(t, nil, req))
			assert.Equal(t, tc.want, out.Output)
			if tc.line == "exit 3" {
				assert.Equal(t, exitCode(3), *out.Exit)
			}
		})
	}
}

func TestWhatIsNoShellLine(t *testing.T) {
	for _, tc := range []struct {
		name, command string
		args          []string
		shell         terminal.Shell
	}{
		{"one word", "no-such-command", nil, terminal.ShellAuto},
		{"with arguments", "echo hi", []string{"x"}, terminal.ShellAuto},
		{"not wanted", "echo hi", nil, terminal.ShellNever},
		{"no right to execute", "./a file", nil, terminal.ShellAuto},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req := request(t, tc.args...)
			req.Command = tc.command
			require.NoError(t, os.WriteFile(filepath.Join(req.CWD, "a file"), nil, 0o600))
			_, err := terminal.New(&terminal.Options{Shell: tc.shell}).CreateTerminal(t.Context(), req)
			var missing *terminal.NotFoundError
			require.ErrorAs(t, err, &missing)
			assert.Equal(t, tc.command, missing.Command)
		})
	}
}

func TestShellPath(t *testing.T) {
	req := request(t)
	shell := filepath.Join(req.CWD, "myshell")
	require.NoError(t, os.WriteFile(shell, []byte("#!/bin/sh\necho \"$1:$2\"\n"), 0o755))
	req.Command = "ls | wc"
	assert.Equal(t, "-c:ls | wc\n", wait(t, create(t, &terminal.Options{ShellPath: shell}, req)).Output)

	_, err := terminal.New(&terminal.Options{ShellPath: "no-such-shell"}).CreateTerminal(t.Context(), req)
	var missing *terminal.NotFoundError
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, "no-such-shell", missing.Command)
}
