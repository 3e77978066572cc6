//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChangedSinceFound opens and replaces names that have become something else since they were found to be files.
func TestChangedSinceFound(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	outside, secret := filepath.Join(base, "outside"), filepath.Join(base, "outside", "f")
	proj := filepath.Join(base, "proj")
	require.NoError(t, os.Mkdir(outside, 0o755))
	require.NoError(t, os.Mkdir(proj, 0o755))
	require.NoError(t, os.WriteFile(secret, []byte("SECRET"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(proj, "f"), []byte("inside"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(proj, "dir"), 0o755))
	require.NoError(t, syscall.Mkfifo(filepath.Join(proj, "fifo"), 0o644))
	for name, target := range map[string]string{
		"out": secret, "outrel": "../outside/f", "new": "../outside/new", "outdir": outside, "null": "/dev/null", "in": "f", "tofifo": "fifo",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(proj, name)))
	}
	root, err := os.OpenRoot(proj)
	require.NoError(t, err)
	defer root.Close()

	for name, reason := range map[string]error{
		"dir": ErrNotRegular, "fifo": ErrNotRegular, "tofifo": ErrNotRegular,
		"out": nil, "outrel": nil, "new": nil, "outdir/f": nil, "null": nil, // os.Root has no name for its refusal
	} {
		_, _, err := openRegular(root, name, os.O_RDONLY)
		require.Error(t, err, name)
		if reason != nil {
			require.ErrorIs(t, err, reason, name)
		}
	}
	devices, err := os.OpenRoot("/dev")
	require.NoError(t, err)
	defer devices.Close()
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
		_, _, err = openRegular(devices, "null", flag)
		require.ErrorIs(t, err, ErrNotRegular)
	}

	for _, name := range []string{"dir", "fifo", "out", "outrel", "new", "null", "in", "tofifo"} {
		require.ErrorIs(t, replace(t.Context(), root, name, "WRITTEN"), ErrNotRegular, name)
	}
	left, err := os.ReadDir(proj)
	require.NoError(t, err)
	assert.Len(t, left, 10)
	got, err := os.ReadFile(secret)
	require.NoError(t, err)
	assert.Equal(t, "SECRET", string(got))
	left, err = os.ReadDir(outside)
	require.NoError(t, err)
	assert.Len(t, left, 1)
}
