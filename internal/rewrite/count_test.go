package rewrite_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/acpharness/acpharness/internal/rewrite"
)

const steps = 20

// count adds to the number in a file, once with each step.
func count(file string) error {
	for range steps {
		if err := increment(file); err != nil {
			return err
		}
	}
	return nil
}

func increment(file string) error {
	unlock, err := rewrite.Lock(context.Background(), file+".lock")
	for errors.Is(err, rewrite.ErrLocked) { // the disk is slow, and nobody stands in a queue
		unlock, err = rewrite.Lock(context.Background(), file+".lock")
	}
	if err != nil {
		return err
	}
	defer unlock()
	s, err := rewrite.Read(file, limit)
	if err != nil {
		return err
	}
	n := 0
	if !s.Missing {
		if n, err = strconv.Atoi(string(s.Text)); err != nil {
			return err
		}
	}
	return s.Replace([]byte(strconv.Itoa(n + 1)))
}

func TestNothingIsLostBetweenGoroutines(t *testing.T) {
	t.Parallel()
	const goroutines = 20
	file := filepath.Join(t.TempDir(), "file")
	var group errgroup.Group
	for range goroutines {
		group.Go(func() error { return count(file) })
	}
	require.NoError(t, group.Wait())
	assert.Equal(t, strconv.Itoa(goroutines*steps), string(read(t, file).Text))
	assert.Len(t, tree(t, filepath.Dir(file)), 3, "the folder, the file and its lock")
}

func TestNothingIsLostBetweenProcesses(t *testing.T) {
	t.Parallel()
	const processes = 4
	self, err := os.Executable()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "file")
	var group errgroup.Group
	for range processes {
		group.Go(func() error {
			cmd := exec.CommandContext(t.Context(), self, beCounter, file)
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Run(); err != nil {
				return errors.Join(err, errors.New(said.String()))
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	assert.Equal(t, strconv.Itoa(processes*steps), string(read(t, file).Text))
	assert.Len(t, tree(t, filepath.Dir(file)), 3, "the folder, the file and its lock")
}

func TestLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "lock")
	unlock, err := rewrite.Lock(t.Context(), file)
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	_, err = rewrite.Lock(ctx, file)
	require.ErrorIs(t, err, gone)
	require.ErrorContains(t, err, "cannot lock "+file)
	unlock()
	unlock, err = rewrite.Lock(ctx, file)
	require.NoError(t, err, "there is nothing to wait for")
	unlock()
	assert.FileExists(t, file)
	_, err = rewrite.Lock(t.Context(), filepath.Join(dir, "no", "lock"))
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.NoDirExists(t, filepath.Join(dir, "no"))
}
