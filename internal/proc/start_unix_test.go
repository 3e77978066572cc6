//go:build unix

package proc_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/proc"
)

func write(t *testing.T, path, content string, mode os.FileMode) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), mode))
	return path
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	foreign := "\x7fELF\x02\x01\x01" + string(make([]byte, 9)) + "\x02\x00\xff\xfe" + string(make([]byte, 100))
	if runtime.GOOS == "darwin" {
		foreign = "\xcf\xfa\xed\xfe\xff\xff\xff\x00" + string(make([]byte, 100))
	}
	write(t, path("text"), "just text\n", 0o644)
	write(t, path("garbage"), "\x01\x02\x03\x04 garbage", 0o755)
	write(t, path("foreign"), foreign, 0o755)
	write(t, path("lost"), "#!/no/such/interpreter -x\n", 0o755)
	write(t, path("crlf"), "#!/bin/sh\r\nexit 0\r\n", 0o755)
	write(t, path("env-node"), "#!/usr/bin/env node\n", 0o755)
	write(t, path("env-S-node"), "#!/usr/bin/env -S A=b node --flag\n", 0o755)
	const secret = "PATH=/secret-place:/other"

	for _, tc := range []struct {
		name   string
		spec   proc.Spec
		reason proc.Reason
		text   string
	}{
		{"no such file", proc.Spec{Path: path("nothing")}, proc.NotFound, "nothing"},
		{"below a file", proc.Spec{Path: path("text/x")}, proc.NotFound, "text/x"},
		{"bare name", proc.Spec{Path: "sh"}, proc.NotFound, "bare command name"},
		{"empty", proc.Spec{}, proc.NotFound, "path is needed"},
		{"no x bit", proc.Spec{Path: path("text")}, proc.NotExecutable, "permission denied"},
		{"directory", proc.Spec{Path: dir}, proc.NotExecutable, "not executable"},
		{"garbage", proc.Spec{Path: path("garbage")}, proc.ExecFormat, "format"},
		{"foreign binary", proc.Spec{Path: path("foreign")}, proc.WrongArchitecture, "wrong architecture"},
		{"interpreter", proc.Spec{Path: path("lost")}, proc.InterpreterMissing, `"/no/such/interpreter"`},
		{"interpreter with CR", proc.Spec{Path: path("crlf")}, proc.InterpreterMissing, `"/bin/sh\r"`},
		{"env", proc.Spec{Path: path("env-node"), Env: []string{secret}}, proc.InterpreterMissing, `"node" was not found on the child's PATH`},
		{"env -S", proc.Spec{Path: path("env-S-node"), Env: []string{secret}}, proc.InterpreterMissing, `"node" was not found`},
		{"dir", proc.Spec{Path: "/bin/sh", Dir: path("gone")}, proc.DirMissing, path("gone")},
		{"dir is a file", proc.Spec{Path: "/bin/sh", Dir: path("text")}, proc.DirMissing, path("text")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := proc.Start(&tc.spec)
			require.Nil(t, p)
			var se *proc.StartError
			require.ErrorAs(t, err, &se)
			assert.Equal(t, tc.reason, se.Reason, "%v", err)
			assert.Equal(t, tc.spec.Path, se.Path)
			assert.Contains(t, err.Error(), "cannot start")
			assert.Contains(t, err.Error(), tc.text)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
	_, err := proc.Start(nil)
	require.Error(t, err)
	_, err = proc.Start(&proc.Spec{Path: path("nothing")})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A script whose env finds its program is not objected to, wherever on the child's PATH it is.
func TestEnvScriptStarts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "bin", "my-node"), "#!/bin/sh\necho ran\n", 0o755)
	script := write(t, filepath.Join(dir, "agent"), "#!/usr/bin/env my-node\n", 0o755)
	for _, path := range []string{filepath.Join(dir, "bin"), "bin"} {
		p := start(t, &proc.Spec{Path: script, Dir: dir, Env: []string{"PATH=" + path + ":/usr/bin:/bin"}})
		out, err := io.ReadAll(p.Stdout())
		require.NoError(t, err)
		assert.Equal(t, "ran\n", string(out))
	}
}

func TestDirArgsAndEnvReachTheChild(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := start(t, &proc.Spec{
		Path: "/bin/sh", Args: []string{"-c", `pwd; echo "$1/$K"`, "x", "a b"}, Dir: dir, Env: []string{"K=v"},
	})
	assert.Equal(t, dir, readLine(t, p))
	assert.Equal(t, "a b/v", readLine(t, p))
}
