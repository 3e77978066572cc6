package provider_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/provider"
)

// npmBin is where executables are below an npm prefix.
func npmBin(prefix string) string {
	if runtime.GOOS == "windows" {
		return prefix
	}
	return filepath.Join(prefix, "bin")
}

func TestLocalPlaces(t *testing.T) {
	t.Parallel()
	prefix, other := t.TempDir(), t.TempDir()
	for _, tc := range []struct {
		name  string
		env   []string
		npmrc string
		npm   string // the directory between those of the user and those of bun, empty if there is none
	}{
		{name: "nothing known of npm"},
		{name: "prefix in the environment", env: []string{"npm_config_prefix=" + prefix}, npm: npmBin(prefix)},
		{name: "in capitals", env: []string{"NPM_CONFIG_PREFIX=" + prefix}, npm: npmBin(prefix)},
		{name: "the environment before the file", env: []string{"npm_config_prefix=" + prefix}, npmrc: "prefix=" + other, npm: npmBin(prefix)},
		{name: "prefix in the file", npmrc: "; mine\nregistry=https://example.org/\nprefix = " + prefix + "\n", npm: npmBin(prefix)},
		{name: "quoted", npmrc: `prefix="` + prefix + `"`, npm: npmBin(prefix)},
		{name: "with CRLF", npmrc: "a=b\r\nprefix=" + prefix + "\r\n", npm: npmBin(prefix)},
		{name: "home as a tilde", npmrc: "prefix=~/.npm-global\n", npm: npmBin("HOME/.npm-global")},
		{name: "home as a variable", npmrc: "prefix=${HOME}/.npm-global\n", npm: npmBin("HOME/.npm-global")},
		{name: "another key", npmrc: "//example.org/:prefix=/x\nmyprefix=/y\n"},
		{name: "relative in the file: of which folder nobody knows", npmrc: "prefix=npm\n"},
		{name: "relative in the environment", env: []string{"npm_config_prefix=."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if tc.npmrc != "" {
				require.NoError(t, os.WriteFile(filepath.Join(home, ".npmrc"), []byte(tc.npmrc), 0o600))
			}
			want := []string{filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin")}
			if tc.npm != "" {
				want = append(want, filepath.Clean(strings.Replace(tc.npm, "HOME", home, 1)))
			}
			want = append(want, filepath.Join(home, ".bun", "bin"), filepath.Join(home, ".volta", "bin"),
				"/usr/local/bin", "/opt/homebrew/bin")
			assert.Equal(t, want, provider.LocalPlaces(home, tc.env))
		})
	}
}

func TestLocalPlacesWithoutHome(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"/usr/local/bin", "/opt/homebrew/bin"}, provider.LocalPlaces("", nil))
}

// TestCheckoutDoesNotChooseTheAgent plants executables where a checkout could, which must not be run.
func TestCheckoutDoesNotChooseTheAgent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the planted files are shell scripts")
	}
	checkout := t.TempDir()
	for _, dir := range []string{".", "bin", "node_modules/.bin"} {
		require.NoError(t, os.MkdirAll(filepath.Join(checkout, dir), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(checkout, dir, "planted-agent"), []byte("#!/bin/sh\n"), 0o700))
	}
	t.Chdir(checkout)
	connector := provider.NewCommand([]string{"planted-agent"})
	for _, path := range []string{"", ".", "bin:./node_modules/.bin:", ":"} {
		_, err := connector.Resolve([]string{"PATH=" + path})
		var missing *provider.NotFoundError
		require.ErrorAs(t, err, &missing, "PATH=%q", path)
		for _, dir := range missing.Searched {
			assert.True(t, filepath.IsAbs(dir), dir)
			assert.NotContains(t, dir, "node_modules")
		}
		assert.NotContains(t, missing.Searched, checkout)
	}
	command, err := provider.NewCommand([]string{"./planted-agent", "-x"}).Resolve(nil)
	require.NoError(t, err, "a path is somebody's word")
	assert.True(t, filepath.IsAbs(command[0]), "the agent may be started in another folder")
	assert.Equal(t, []string{"planted-agent", "-x"}, []string{filepath.Base(command[0]), command[1]})
}
