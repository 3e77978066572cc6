package workspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/workspace"
)

func TestWriteBytesAsGiven(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"CRLF and a byte order mark, MoonshotAI/kimi-code#368": "\ufeffa\r\nb\n\rc",
		"no end in the last line":                              "a\nb",
		"nothing":                                              "",
		"other characters, NousResearch/hermes-agent#62090":    "żółw 日本 😀\n",
		"what could not be read back":                          "\x00\xff",
		"several chunks":                                       strings.Repeat("0123456789\n", 20000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			old := put(t, filepath.Join(dir, "old.txt"), "something\r\nelse")
			fresh := filepath.Join(dir, "a", "b", "new.txt")
			for _, path := range []string{old, fresh} {
				require.NoError(t, write(t, workspace.New(nil), path, content, dir))
				assert.Equal(t, content, text(t, path))
			}
			assert.Equal(t, map[string]string{
				".": "d---------", "old.txt": content,
				"a": "d---------", filepath.Join("a", "b"): "d---------", filepath.Join("a", "b", "new.txt"): content,
			}, tree(t, dir), "the directories are made, and nothing else is left")
		})
	}
}

func TestWriteIsRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		opts   workspace.Options
		path   string
		reason error
	}{
		{name: "read-only", opts: workspace.Options{ReadOnly: true}, path: "file", reason: workspace.ErrReadOnly},
		{name: "too large", opts: workspace.Options{MaxWrite: 2}, path: "file", reason: workspace.ErrTooLarge},
		{name: "too large for a new file", opts: workspace.Options{MaxWrite: 2}, path: "a/b", reason: workspace.ErrTooLarge},
		{name: "a directory", path: "dir", reason: workspace.ErrNotRegular},
		{name: "below a file", path: "file/x", reason: workspace.ErrNotRegular},
		{name: "a file called a directory", path: "file/", reason: workspace.ErrNotRegular},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "file"), "old")
			put(t, filepath.Join(dir, "dir", "x"), "old")
			before := tree(t, dir)
			err := write(t, workspace.New(&tc.opts), dir+string(filepath.Separator)+filepath.FromSlash(tc.path), "new", dir)
			assertRefused(t, err, tc.reason)
			assert.Equal(t, before, tree(t, dir))
		})
	}
}

func TestWriteIsGivenUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "f"), "old")
	before := tree(t, dir)
	content := strings.Repeat("x", 1<<20)
	calls := 0
	for ; ; calls++ {
		ctx := &endingAfter{Context: t.Context()}
		ctx.left.Store(int64(calls))
		err := workspace.New(nil).WriteTextFile(ctx, &acp.WriteTextFileRequest{Roots: []string{dir}, Path: path, Content: content})
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, before, tree(t, dir), "a write that is given up changes nothing")
	}
	assert.Greater(t, calls, 10, "it is noticed between chunks")
	assert.Equal(t, content, text(t, path))
}

// TestReaderSeesOldOrNew reads a file while it is written.
func TestReaderSeesOldOrNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := strings.Repeat("a", 200<<10), strings.Repeat("b", 200<<10)
	path := put(t, filepath.Join(dir, "f"), a)
	w := workspace.New(nil)
	done := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		defer close(done)
		for n := range 100 {
			assert.NoError(t, write(t, w, path, []string{b, a}[n%2], dir))
		}
	})
	defer writing.Wait()
	for reads := 0; ; reads++ {
		select {
		case <-done:
			assert.Positive(t, reads)
			return
		default:
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		if s := string(got); s != a && s != b {
			t.Fatalf("a mix of %d bytes", len(s))
		}
		s, err := read(t, w, path, dir)
		require.NoError(t, err)
		if s != a && s != b {
			t.Fatalf("a mix of %d bytes", len(s))
		}
	}
}

// TestManySessions share a workspace, each with a directory of its own.
func TestManySessions(t *testing.T) {
	t.Parallel()
	w := workspace.New(nil)
	base := t.TempDir()
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			dir := filepath.Join(base, fmt.Sprint(n))
			put(t, filepath.Join(dir, "own"), fmt.Sprint(n))
			for i := range 10 {
				path := filepath.Join(dir, "d", fmt.Sprint(i%3))
				if !assert.NoError(t, write(t, w, path, fmt.Sprint(n, i), dir)) {
					return
				}
				got, err := read(t, w, path, dir)
				assert.NoError(t, err)
				assert.Equal(t, fmt.Sprint(n, i), got)
				_, err = read(t, w, filepath.Join(base, fmt.Sprint((n+1)%16), "own"), dir)
				assert.ErrorIs(t, err, workspace.ErrOutside)
			}
		})
	}
	all.Wait()
}
