package mcpfile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watchTest is a watcher of a file that may be there.
type watchTest struct {
	*Watcher
	file *File
}

// startWatch polls so seldom that what is found was heard of, unless opts say otherwise.
func startWatch(t *testing.T, path string, opts *WatchOptions, read func(*File) *State) *watchTest {
	t.Helper()
	if opts.Poll == 0 {
		opts.Poll = time.Hour
	}
	if opts.Settle == 0 {
		opts.Settle = 50 * time.Millisecond
	}
	if read == nil {
		read = (*File).Read
	}
	file := NewFile(path, &watchLayout)
	w, err := watch([]*File{file}, opts, read)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, w.Close())
		for u := range w.Updates() {
			assert.Failf(t, "an update that nobody expects", "%v", u)
		}
	})
	return &watchTest{w, file}
}

// next waits for an update.
func (w *watchTest) next(t *testing.T) *Update {
	t.Helper()
	select {
	case u, ok := <-w.Updates():
		require.True(t, ok)
		assert.Equal(t, w.file, u.File)
		return &u
	case <-time.After(30 * time.Second):
		require.Fail(t, "no update")
		return nil
	}
}

// expect waits for an update with these changes.
func (w *watchTest) expect(t *testing.T, changes ...string) {
	t.Helper()
	u := w.next(t)
	require.NoError(t, u.After.Err())
	require.NoError(t, u.Diff.Unknown)
	assert.Equal(t, append([]string{}, changes...), changesOf(u))
	assert.Equal(t, u.After, w.State(w.file))
}

// put writes in place.
func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// replace puts another file in the place of one.
func replace(t *testing.T, path, text string) {
	t.Helper()
	put(t, path+".new", text)
	require.NoError(t, os.Rename(path+".new", path))
}

// watchDir is a folder without links on the way to it.
func watchDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

func TestWatchWrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(watchDir(t), "mcp.json")
	put(t, path, withServers("a"))
	w := startWatch(t, path, &WatchOptions{}, nil)
	assert.Equal(t, withServers("a"), w.State(w.file).ed.text)
	assert.Nil(t, w.State(NewFile(path, &watchLayout)))

	put(t, path, withServers("a", "b"))
	w.expect(t, "add b")
	for _, name := range []string{"c", "d", "e"} {
		replace(t, path, withServers("a", name))
		u := w.next(t)
		assert.Contains(t, changesOf(u), "add "+name)
	}
	require.NoError(t, os.Remove(path))
	w.expect(t, "remove a", "remove e")
	assert.True(t, w.State(w.file).Missing())
	replace(t, path, withServers("a"))
	w.expect(t, "add a")
}

// TestWatchTwoSteps has the file read when half of it is written.
func TestWatchTwoSteps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(watchDir(t), "mcp.json")
	put(t, path, withServers("a"))
	reads, goOn := make(chan *State), make(chan bool)
	baseline := true
	w := startWatch(t, path, &WatchOptions{}, func(f *File) *State {
		s := f.Read()
		if baseline || s.Err() == nil {
			baseline = false
			return s
		}
		reads <- s
		<-goOn
		return s
	})
	text := withServers("a", "b")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	require.NoError(t, err)
	_, err = f.WriteString(text[:len(text)/2])
	require.NoError(t, err)
	require.Error(t, (<-reads).Err())
	_, err = f.WriteString(text[len(text)/2:])
	require.NoError(t, err)
	require.NoError(t, f.Close())
	close(goOn)
	w.expect(t, "add b")
}

// TestWatchDeletedAndMadeAgain ends with a change that is heard of, and before it nothing is.
func TestWatchDeletedAndMadeAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(watchDir(t), "mcp.json")
	put(t, path, withServers("a"))
	w := startWatch(t, path, &WatchOptions{Settle: 300 * time.Millisecond}, nil)
	require.NoError(t, os.Remove(path))
	put(t, path, withServers("a"))
	require.NoError(t, os.Remove(path))
	put(t, path, withServers("a", "b"))
	w.expect(t, "add b")
}

func TestWatchFoldersToCome(t *testing.T) {
	t.Parallel()
	dir := watchDir(t)
	path := filepath.Join(dir, "a", "b", "c", "mcp.json")
	w := startWatch(t, path, &WatchOptions{}, nil)
	assert.True(t, w.State(w.file).Missing())
	for range 3 {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		replace(t, path, withServers("a"))
		w.expect(t, "add a")
		replace(t, path, withServers("a", "b"))
		w.expect(t, "add b")
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "a")))
		w.expect(t, "remove a", "remove b")
	}
	// Another folder comes into the place of one that is moved away.
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	replace(t, path, withServers("a"))
	w.expect(t, "add a")
	require.NoError(t, os.Rename(filepath.Dir(path), filepath.Join(dir, "old")))
	w.expect(t, "remove a")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	replace(t, path, withServers("b"))
	w.expect(t, "add b")
	replace(t, filepath.Join(dir, "old", "mcp.json"), withServers("c"))
	replace(t, path, withServers("b", "d"))
	w.expect(t, "add d")
}

// TestWatchPolls has a folder moved of which nobody tells, and events that nobody gives.
func TestWatchPolls(t *testing.T) {
	t.Parallel()
	t.Run("folder above", func(t *testing.T) {
		t.Parallel()
		dir := watchDir(t)
		path := filepath.Join(dir, "a", "b", "c", "mcp.json")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		put(t, path, withServers("a"))
		w := startWatch(t, path, &WatchOptions{Poll: 10 * time.Millisecond}, nil)
		require.NoError(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "old")))
		w.expect(t, "remove a")
		require.NoError(t, os.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "a")))
		w.expect(t, "add a")
	})
	t.Run("no events", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(watchDir(t), "mcp.json")
		put(t, path, withServers("a"))
		at := func(age time.Duration) {
			then := time.Now().Add(-age)
			require.NoError(t, os.Chtimes(path, then, then))
		}
		at(time.Hour)
		dirs := newWatchDirs([]string{path}, nil, nil)
		assert.Equal(t, []int{0}, dirs.look())
		assert.Empty(t, dirs.look())
		replace(t, path, withServers("b"))
		assert.Equal(t, []int{0}, dirs.look())
		assert.Empty(t, dirs.look())
		at(time.Hour)
		assert.Equal(t, []int{0}, dirs.look())
		assert.Empty(t, dirs.look())
		dirs.ways[0].fresh = true
		assert.Equal(t, []int{0}, dirs.look(), "it may have changed twice at the same time")
		assert.Empty(t, dirs.look())
		require.NoError(t, os.Remove(path))
		assert.Equal(t, []int{0}, dirs.look())
		assert.Empty(t, dirs.look())
	})
}

// TestWatchStormOfSaves has somebody save a hundred times within a second, each time with other servers. Reports of programs that did
// their work a hundred times then, or with what was half written: code-yeongyu/oh-my-openagent#4371, agentscope-ai/QwenPaw#754,
// open-webui/mcpo#197.
func TestWatchStormOfSaves(t *testing.T) {
	t.Parallel()
	path := filepath.Join(watchDir(t), "mcp.json")
	put(t, path, withServers("a"))
	w := startWatch(t, path, &WatchOptions{Settle: time.Second, Limit: time.Minute, Poll: 100 * time.Millisecond}, nil)
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for i := range 100 {
			<-tick.C
			text := withServers("a", fmt.Sprint(i))
			switch i % 3 {
			case 0:
				assert.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			case 1:
				assert.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
				assert.NoError(t, os.Rename(path+".new", path))
			default:
				assert.NoError(t, os.Remove(path))
				assert.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
		}
	}()
	w.expect(t, "add 99")
}

func TestWatchClose(t *testing.T) {
	t.Parallel()
	path := filepath.Join(watchDir(t), "mcp.json")
	w, err := Watch([]*File{NewFile(path, &watchLayout)}, &WatchOptions{Settle: time.Microsecond, Limit: time.Microsecond, Poll: time.Millisecond})
	require.NoError(t, err)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				assert.NoError(t, os.WriteFile(path, []byte(withServers(fmt.Sprint(i))), 0o600))
			}
		}
	}()
	for range 3 {
		_, ok := <-w.Updates()
		require.True(t, ok)
	}
	closed := make(chan error)
	for range 2 {
		go func() { closed <- w.Close() }()
	}
	require.NoError(t, <-closed)
	require.NoError(t, <-closed)
	require.NoError(t, w.Close())
	_, ok := <-w.Updates()
	assert.False(t, ok)
	close(stop)
	<-stopped
}

func TestWatchRefuses(t *testing.T) {
	t.Parallel()
	_, err := Watch([]*File{nil}, nil)
	require.ErrorIs(t, err, errNoFile)
	w, err := Watch(nil, nil)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}
