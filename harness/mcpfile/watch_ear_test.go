package mcpfile

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWatchEar has nobody listen while events come.
func TestWatchEar(t *testing.T) {
	t.Parallel()
	events, errs := make(chan fsnotify.Event), make(chan error)
	ear := &watchEar{make(chan hearing), make(chan struct{})}
	go ear.run(events, errs)
	for range 3 {
		events <- fsnotify.Event{Name: "a", Op: fsnotify.Write}
		events <- fsnotify.Event{Name: "b", Op: fsnotify.Remove}
	}
	assert.Equal(t, hearing{names: map[string]bool{"a": true, "b": true}}, <-ear.heard)

	errs <- fsnotify.ErrEventOverflow
	events <- fsnotify.Event{Name: "a", Op: fsnotify.Write}
	h := <-ear.heard
	require.ErrorIs(t, h.lost, fsnotify.ErrEventOverflow)
	assert.Len(t, h.names, 1)

	for i := range manyNames + 1 {
		events <- fsnotify.Event{Name: fmt.Sprint(i), Op: fsnotify.Create}
	}
	assert.Equal(t, hearing{lost: fsnotify.ErrEventOverflow}, <-ear.heard)

	close(errs)
	events <- fsnotify.Event{Name: "a", Op: fsnotify.Write}
	close(events)
	<-ear.ended
}

func TestWatchHearing(t *testing.T) {
	t.Parallel()
	dir := watchDir(t)
	a, b := filepath.Join(dir, "a.json"), filepath.Join(dir, "b", "b.json")
	put(t, a, withServers("a"))
	dirs := newWatchDirs([]string{a, b}, nil, slog.New(slog.DiscardHandler))
	dirs.look()
	hear := func(name string) []int { return dirs.hear(&hearing{names: map[string]bool{name: true}}) }
	assert.Empty(t, hear(filepath.Join(dir, "other")))
	assert.Equal(t, []int{0}, hear(filepath.Join(dir, "A.json")), "the system may take it for the same")
	assert.Equal(t, []int{1}, hear(filepath.Join(dir, "b")))
	assert.Empty(t, hear(b), "there is no such folder yet")
	assert.Equal(t, []int{0, 1}, hear(dir))
	assert.Equal(t, []int{0, 1}, dirs.hear(&hearing{lost: errors.New("lost")}))
}
