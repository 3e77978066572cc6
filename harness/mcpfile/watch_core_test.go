package mcpfile

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

var watchLayout = backends.MCPFile{
	Format:     backends.MCPJSON,
	ServersKey: "mcpServers",
	Marker:     backends.MCPMarker{Key: "disabled", Value: true},
	Entry:      backends.MCPEntry{CommandKey: "command", ArgsKey: "args"},
}

// withServers is a file with these servers.
func withServers(names ...string) string {
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf("%q:{\"command\":%q}", name, name)
	}
	return `{"mcpServers":{` + text + "}}"
}

// changesOf are the changes of an update in words.
func changesOf(u *Update) []string {
	words := []string{}
	for _, c := range u.Diff.Changes {
		words = append(words, c.String())
	}
	return words
}

// coreTest is a core with files that are texts, in a bubble of synctest.
type coreTest struct {
	*watchCore
	t     *testing.T
	texts []atomic.Pointer[string]
	reads atomic.Int32
}

// newCoreTest starts a core that reads after 100 ms of rest, and after 1 s at the latest.
func newCoreTest(t *testing.T, texts ...string) *coreTest {
	t.Helper()
	c := &coreTest{t: t, texts: make([]atomic.Pointer[string], len(texts))}
	var files []*File
	for i := range texts {
		c.texts[i].Store(&texts[i])
		files = append(files, NewFile(fmt.Sprintf("/%d", i), &watchLayout))
	}
	read := func(f *File) *State {
		c.reads.Add(1)
		for i := range files {
			if files[i] == f {
				return f.ParseState([]byte(*c.texts[i].Load()))
			}
		}
		return nil
	}
	c.watchCore = newWatchCore(files, &WatchOptions{Settle: 100 * time.Millisecond, Limit: time.Second}, read)
	c.reads.Store(0)
	done := make(chan struct{})
	go c.run(done)
	t.Cleanup(func() {
		c.nothing()
		close(done)
		synctest.Wait()
		_, open := <-c.updates
		assert.False(t, open)
	})
	return c
}

// write changes a file and waits.
func (c *coreTest) write(i int, text string, wait time.Duration) {
	c.texts[i].Store(&text)
	c.touched <- i
	<-time.After(wait)
	synctest.Wait()
}

func (c *coreTest) nothing() {
	c.t.Helper()
	synctest.Wait()
	select {
	case u := <-c.updates:
		assert.Failf(c.t, "an update that nobody expects", "%v %v", changesOf(&u), u.Diff.Unknown)
	default:
	}
}

// next is the update that is there.
func (c *coreTest) next() *Update {
	c.t.Helper()
	synctest.Wait()
	select {
	case u := <-c.updates:
		return &u
	default:
		require.Fail(c.t, "no update")
		return nil
	}
}

const settled = 101 * time.Millisecond

func TestWatchCore(t *testing.T) {
	t.Parallel()
	a, ab, abc := withServers("a"), withServers("a", "b"), withServers("a", "b", "c")
	for _, tc := range []struct {
		name string
		test func(*coreTest)
	}{
		{"the baseline is no update", func(c *coreTest) {
			<-time.After(time.Hour)
			c.nothing()
			assert.Zero(c.t, c.reads.Load())
		}},
		// As in kirodotdev/KiroCrew#9690, where a program rewrites the file every few minutes and changes nothing.
		{"the same again and again is no update", func(c *coreTest) {
			for range 100 {
				c.write(0, a, 3*time.Minute)
			}
			c.nothing()
			assert.EqualValues(c.t, 100, c.reads.Load())
		}},
		{"spaces are no update but become the state", func(c *coreTest) {
			c.write(0, "\n"+a, settled)
			c.nothing()
			assert.Equal(c.t, "\n"+a, c.files[0].good.Load().ed.text)
			c.write(0, ab, settled)
			u := c.next()
			assert.Equal(c.t, "\n"+a, u.Before.ed.text)
			assert.Equal(c.t, []string{"add b"}, changesOf(u))
		}},
		{"a burst is one update", func(c *coreTest) {
			for i := range 40 {
				c.write(0, withServers("a", fmt.Sprint(i)), 20*time.Millisecond)
			}
			c.write(0, ab, 99*time.Millisecond)
			c.nothing()
			<-time.After(2 * time.Millisecond)
			synctest.Wait()
			assert.Equal(c.t, []string{"add b"}, changesOf(c.next()))
			assert.EqualValues(c.t, 1, c.reads.Load())
		}},
		{"who never rests is read at the limit", func(c *coreTest) {
			for i := range 20 {
				c.nothing()
				c.write(0, withServers("a", fmt.Sprint(i)), 50*time.Millisecond)
			}
			assert.Equal(c.t, []string{"add 19"}, changesOf(c.next()))
			for range 19 {
				c.write(0, ab, 50*time.Millisecond)
				c.nothing()
			}
			c.write(0, ab, 50*time.Millisecond)
			assert.Equal(c.t, []string{"remove 19", "add b"}, changesOf(c.next()))
		}},
		{"a file that rests does not wait for another", func(c *coreTest) {
			c.write(1, ab, 60*time.Millisecond)
			c.write(0, ab, 41*time.Millisecond)
			assert.Equal(c.t, c.files[1].file, c.next().File)
			c.nothing()
			<-time.After(60 * time.Millisecond)
			synctest.Wait()
			assert.Equal(c.t, c.files[0].file, c.next().File)
		}},
		{"half a file is held back", func(c *coreTest) {
			c.write(0, ab[:12], settled)
			c.nothing()
			c.write(0, ab, settled)
			u := c.next()
			require.NoError(c.t, u.After.Err())
			assert.Equal(c.t, []string{"add b"}, changesOf(u))
		}},
		{"half a file that becomes what it was is no update", func(c *coreTest) {
			c.write(0, "", settled)
			c.write(0, a, settled)
			c.nothing()
		}},
		{"a broken file is told of once, and when it is repaired", func(c *coreTest) {
			c.write(0, "{", settled)
			c.nothing()
			<-time.After(100 * time.Millisecond)
			synctest.Wait()
			u := c.next()
			require.Error(c.t, u.After.Err())
			require.ErrorIs(c.t, u.Diff.Unknown, u.After.Err())
			assert.Equal(c.t, a, u.Before.ed.text)
			assert.Equal(c.t, a, c.files[0].good.Load().ed.text)
			for range 5 {
				c.write(0, "{", time.Minute)
			}
			c.nothing()
			c.write(0, "[]", time.Minute)
			assert.NotEqual(c.t, u.After.Err().Error(), c.next().After.Err().Error())
			c.write(0, a, settled)
			u = c.next()
			assert.True(c.t, u.Diff.Empty())
			require.NoError(c.t, u.After.Err())
			c.write(0, ab, settled)
			assert.Equal(c.t, []string{"add b"}, changesOf(c.next()))
		}},
		{"repaired with a change", func(c *coreTest) {
			c.write(0, "{", time.Minute)
			require.Error(c.t, c.next().After.Err())
			c.write(0, ab, settled)
			u := c.next()
			assert.Equal(c.t, a, u.Before.ed.text)
			assert.Equal(c.t, []string{"add b"}, changesOf(u))
		}},
		{"broken, repaired and changed back before anybody has heard of the repair", func(c *coreTest) {
			c.write(0, "{", time.Minute)
			require.Error(c.t, c.next().After.Err())
			c.write(0, ab, time.Minute)
			c.write(0, a, time.Minute)
			u := c.next()
			require.NoError(c.t, u.After.Err())
			assert.True(c.t, u.Diff.Empty())
		}},
		{"broken and repaired before anybody has heard of it", func(c *coreTest) {
			c.write(0, "{", time.Minute)
			c.write(0, a, time.Minute)
			c.nothing()
			c.write(0, ab, time.Minute)
			c.write(0, "{", time.Minute)
			c.write(0, ab, time.Minute)
			assert.Equal(c.t, []string{"add b"}, changesOf(c.next()))
		}},
		{"broken again before anybody has heard of the repair", func(c *coreTest) {
			c.write(0, "{", time.Minute)
			require.Error(c.t, c.next().After.Err())
			c.write(0, ab, time.Minute)
			c.write(0, "{", time.Minute)
			c.nothing()
			c.write(0, a, time.Minute)
			u := c.next()
			require.NoError(c.t, u.After.Err())
			assert.True(c.t, u.Diff.Empty())
		}},
		{"broken from the beginning", func(c *coreTest) {
			c.write(2, "{", time.Minute)
			c.nothing()
			require.Error(c.t, c.files[2].good.Load().Err())
			c.write(2, a, time.Minute)
			u := c.next()
			require.Error(c.t, u.Before.Err())
			require.NoError(c.t, u.After.Err())
			require.ErrorIs(c.t, u.Diff.Unknown, u.Before.Err())
			c.write(2, ab, time.Minute)
			assert.Equal(c.t, []string{"add b"}, changesOf(c.next()))
		}},
		{"what nobody has taken is merged", func(c *coreTest) {
			c.write(0, ab, time.Minute)
			c.write(1, ab, time.Minute)
			c.write(0, abc, time.Minute)
			u := c.next()
			assert.Equal(c.t, c.files[0].file, u.File)
			assert.Equal(c.t, a, u.Before.ed.text)
			assert.Equal(c.t, abc, u.After.ed.text)
			assert.Equal(c.t, []string{"add b", "add c"}, changesOf(u))
			assert.Equal(c.t, c.files[1].file, c.next().File)
		}},
		{"what nobody has taken vanishes when it is undone", func(c *coreTest) {
			c.write(0, ab, time.Minute)
			c.write(1, ab, time.Minute)
			c.write(0, a, time.Minute)
			assert.Equal(c.t, c.files[1].file, c.next().File)
			c.nothing()
			c.write(0, abc, time.Minute)
			assert.Equal(c.t, []string{"add b", "add c"}, changesOf(c.next()))
		}},
		// The error must not hide what came before it.
		{"a change that nobody has taken before the file breaks", func(c *coreTest) {
			c.write(0, ab, time.Minute)
			c.write(0, "{", time.Minute)
			u := c.next()
			require.Error(c.t, u.After.Err())
			assert.Equal(c.t, a, u.Before.ed.text)
			assert.Equal(c.t, ab, c.files[0].good.Load().ed.text)
			c.write(0, abc, time.Minute)
			assert.Equal(c.t, []string{"add b", "add c"}, changesOf(c.next()))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { tc.test(newCoreTest(t, a, a, "{")) })
		})
	}
}
