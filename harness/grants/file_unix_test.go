//go:build unix

package grants_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/harness/grants"
)

func TestFileIsItsOwners(t *testing.T) {
	t.Parallel()
	store, file := newStore(t)
	scope := grants.Scope{Backend: "a", Root: t.TempDir()}
	_, err := store.Remember(t.Context(), scope, call("execute", `{"command":"make"}`))
	require.NoError(t, err)
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	assert.Equal(t, os.FileMode(0o600), mode(file))
	assert.Equal(t, os.FileMode(0o600), mode(file+".lock"))
	assert.Equal(t, os.FileMode(0o700), mode(filepath.Dir(file)))

	for _, exposed := range []struct {
		path string
		mode os.FileMode
		good bool
	}{
		{file, 0o620, false},
		{file, 0o602, false},
		{file, 0o644, true},
		{filepath.Dir(file), 0o770, false},
		{filepath.Dir(file), 0o707, false},
		{filepath.Dir(file), 0o755, true},
	} {
		before := mode(exposed.path)
		require.NoError(t, os.Chmod(exposed.path, exposed.mode))
		if exposed.good {
			_, ok, err := store.Find(scope, call("execute", `{"command":"make"}`))
			require.NoError(t, err)
			assert.True(t, ok)
		} else {
			refused(t, store, grants.ErrExposed, "chmod go-w", exposed.path)
			assert.Equal(t, exposed.mode, mode(exposed.path), "nothing is mended behind anybody's back")
		}
		require.NoError(t, os.Chmod(exposed.path, before))
	}
}

// TestWriterWaits has another process hold the lock until the caller gives up, and let go of it after that.
func TestWriterWaits(t *testing.T) {
	t.Parallel()
	store, file := newStore(t)
	scope := grants.Scope{Backend: "a", Root: t.TempDir()}
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	f, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	require.NoError(t, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = store.Remember(ctx, scope, call("execute", `{"command":"make"}`))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "cannot lock")
	_, ok, err := store.Find(scope, call("execute", `{"command":"make"}`))
	require.NoError(t, err, "readers do not wait")
	assert.False(t, ok)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := store.Remember(t.Context(), scope, call("execute", `{"command":"make"}`))
		require.ErrorContains(t, err, "another process is writing to it and does not end")
		assert.Equal(t, 5*time.Second, time.Since(began), "nobody waits for a writer that hangs")
	})
	require.NoError(t, f.Close())
	_, err = store.Remember(t.Context(), scope, call("execute", `{"command":"make"}`))
	require.NoError(t, err)
}
