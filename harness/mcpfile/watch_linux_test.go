package mcpfile

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWatchFolderByAnotherName has a link for what is a bind mount elsewhere: two names of one folder, of which the system watches one.
func TestWatchFolderByAnotherName(t *testing.T) {
	t.Parallel()
	dir := watchDir(t)
	one, two := folder(t, dir, "one"), filepath.Join(dir, "two")
	link(t, "one", two)
	notify, err := fsnotify.NewWatcher()
	require.NoError(t, err)
	defer notify.Close()
	var log bytes.Buffer
	dirs := newWatchDirs(nil, notify, slog.New(slog.NewTextHandler(&log, nil)))
	assert.True(t, dirs.add(one))
	assert.Empty(t, log.String())
	for range 2 {
		assert.False(t, dirs.add(two), "it is no reason to look again")
	}
	assert.Equal(t, 1, strings.Count(log.String(), errOtherName.Error()), log.String())
	assert.True(t, dirs.add(filepath.Join(dir, "none")), "it is one if a folder is gone")
}
