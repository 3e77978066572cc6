//go:build unix

package proc_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/proc"
)

func TestLookPath(t *testing.T) {
	root := t.TempDir()
	in := func(elem ...string) string { return filepath.Join(append([]string{root}, elem...)...) }
	write(t, in("a", "tool"), "", 0o644) // in the way, but not executable
	write(t, in("a", "denied"), "", 0o644)
	write(t, in("b", "tool"), "", 0o755)
	write(t, in("c", "tool"), "", 0o755)
	write(t, in("c", "extra"), "", 0o755)
	require.NoError(t, os.MkdirAll(in("a", "dir"), 0o755))
	t.Chdir(in("c"))
	path := strings.Join([]string{in("a"), "", ".", "rel", in("b"), in("a") + "/", in("gone")}, ":")
	all := []string{in("a"), in("b"), in("gone")}

	for _, tc := range []struct {
		name, path string
		extra      []string
		want       string
		searched   []string
		denied     bool
	}{
		{name: "tool", path: path, extra: []string{in("c")}, want: in("b", "tool")},
		{name: "extra", path: path, extra: []string{in("c")}, want: in("c", "extra")},
		{name: "extra", path: path, searched: all},
		{name: "extra", path: path, extra: []string{in("b"), "rel", in("x")}, searched: append(all[:3:3], in("x"))},
		{name: "denied", path: path, searched: all, denied: true},
		{name: "dir", path: path, searched: all},
		{name: "tool", path: "", searched: nil},
		{name: "", path: path},
		{name: "./tool", want: in("c", "tool")},
		{name: in("b", "tool"), want: in("b", "tool")},
		{name: "./none", searched: []string{in("c")}},
		{name: in("a", "tool"), searched: []string{in("a")}, denied: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, searched, err := proc.LookPath(tc.name, tc.path, tc.extra)
			if tc.want != "" {
				require.NoError(t, err)
				assert.Equal(t, resolved(t, tc.want), resolved(t, got))
				return
			}
			require.ErrorIs(t, err, exec.ErrNotFound)
			assert.Equal(t, tc.denied, errors.Is(err, fs.ErrPermission))
			require.Len(t, searched, len(tc.searched))
			for i := range tc.searched {
				assert.Equal(t, resolved(t, tc.searched[i]), resolved(t, searched[i]))
			}
		})
	}
}

func resolved(t *testing.T, path string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	require.NoError(t, err)
	return filepath.Join(dir, filepath.Base(path))
}
