package workspace_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/workspace"
)

func TestWindows(t *testing.T) {
	t.Parallel()
	const bom = "\ufeff"
	none := (*int64)(nil)
	n := func(n int64) *int64 { return &n }
	for _, tc := range []struct {
		name, file  string
		line, limit *int64
		want        string
		err         error
	}{
		{name: "all", file: "a\nb\n", line: none, limit: none, want: "a\nb\n"},
		{name: "line and limit, agentrq/acp-gateway#62", file: "1\n2\n3\n4\n5\n6\n7\n8\n", line: n(5), limit: n(2), want: "5\n6\n"},
		{name: "a CRLF file, MoonshotAI/kimi-code#3946", file: "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7", line: n(5), limit: n(2), want: "5\r\n6\r\n"},
		{name: "a CRLF file whole", file: "1\r\n2\r\n", want: "1\r\n2\r\n"},
		{name: "mixed ends", file: "1\r\n2\n3\r4\n5", line: n(2), limit: n(2), want: "2\n3\r4\n"},
		{name: "a byte order mark, MoonshotAI/kimi-code#368", file: bom + "1\n2\n", limit: n(1), want: bom + "1\n"},
		{name: "a byte order mark is of line 1", file: bom + "1\n2\n", line: n(2), want: "2\n"},
		{name: "other characters, NousResearch/hermes-agent#62090", file: "żółw\n日本\n😀\n", line: n(2), limit: n(2), want: "日本\n😀\n"},
		{name: "no end in the last line", file: "1\n2", line: n(2), want: "2"},
		{name: "no end in the last line, limit", file: "1\n2", line: n(2), limit: n(9), want: "2"},
		{name: "empty lines", file: "\n\n\nx", line: n(2), limit: n(2), want: "\n\n"},
		{name: "past the end", file: "1\n2\n", line: n(3), want: ""},
		{name: "far past the end", file: "1\n2", line: n(1 << 60), limit: n(1 << 60), want: ""},
		{name: "limit 0", file: "1\n2\n", limit: n(0), want: ""},
		{name: "line 0 is line 1", file: "1\n2\n", line: n(0), limit: n(1), want: "1\n"},
		{name: "an empty file", file: "", want: ""},
		{name: "line 1 of an empty file", file: "", line: n(1), limit: n(1), want: ""},
		{name: "negative line", file: "1\n", line: n(-1), err: workspace.ErrBadWindow},
		{name: "negative limit", file: "1\n", limit: n(-5), err: workspace.ErrBadWindow},
		{name: "a NUL", file: "a\x00b\n", err: workspace.ErrBinary},
		{name: "not UTF-8", file: "caf\xe9\n", err: workspace.ErrBinary},
		{name: "UTF-16", file: "\xff\xfea\x00\n\x00", err: workspace.ErrBinary},
		{name: "half a character at the end", file: "ok\n\xe2\x82", err: workspace.ErrBinary},
		{name: "text before what is not", file: "ok\n\x00\n", limit: n(1), want: "ok\n"},
		{name: "text after what is not", file: "\xff\x00\nok\n", line: n(2), want: "ok\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := put(t, filepath.Join(dir, "file.txt"), tc.file)
			got, err := workspace.New(nil).ReadTextFile(t.Context(), &acp.ReadTextFileRequest{
				Roots: []string{dir}, Path: path, Line: tc.line, Limit: tc.limit,
			})
			assert.Equal(t, tc.want, got)
			assert.ErrorIs(t, err, tc.err)
			if tc.err != nil {
				assertRefused(t, err, tc.err)
			}
		})
	}
}

// assertRefused is about an error of ours that tells the agent that it asked for the wrong thing.
func assertRefused(t *testing.T, err, reason error) {
	t.Helper()
	var own *workspace.Error
	require.ErrorAs(t, err, &own)
	assert.Equal(t, reason, own.Reason)
	var answer *acp.Error
	require.ErrorAs(t, err, &answer)
	assert.Equal(t, acp.CodeInvalidParams, answer.Code)
	assert.Equal(t, err.Error(), answer.Message)
}

func TestReadLimit(t *testing.T) {
	t.Parallel()
	n := func(n int64) *int64 { return &n }
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "ten.txt"), "1234\n6789\n")
	for _, tc := range []struct {
		name        string
		most        int64
		line, limit *int64
		want, text  string
	}{
		{name: "just enough", most: 10, want: "1234\n6789\n"},
		{name: "one too few", most: 9, text: "the file has 10 bytes, more than the 9 that are read at once; ask for a part of it with line and limit"},
		{name: "a part that is small enough", most: 5, line: n(2), want: "6789\n"},
		{name: "two lines that are not", most: 9, limit: n(2), text: "ask for fewer with limit"},
		{name: "one line that is not", most: 4, line: n(2), limit: n(1), text: "line 2 alone has more than the 4 bytes"},
		{name: "the default", most: 0, want: "1234\n6789\n"},
		{name: "no limit", most: -1, want: "1234\n6789\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := workspace.New(&workspace.Options{MaxRead: tc.most})
			got, err := w.ReadTextFile(t.Context(), &acp.ReadTextFileRequest{Roots: []string{dir}, Path: path, Line: tc.line, Limit: tc.limit})
			assert.Equal(t, tc.want, got)
			if tc.text != "" {
				require.ErrorContains(t, err, tc.text)
				assertRefused(t, err, workspace.ErrTooLarge)
			} else {
				assert.NoError(t, err)
			}
		})
	}
}

// TestReadFromAHugeFile does not run in parallel, as it counts what is allocated.
func TestReadFromAHugeFile(t *testing.T) { //nolint:paralleltest // see above
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "huge.log"), "first\n")
	const size = 300 << 20
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(size)) // one line without an end, of NULs
	_, err = f.WriteAt([]byte("\nlast\n"), size)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	w := workspace.New(nil)
	lines := func(line, limit int64) (string, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := w.ReadTextFile(t.Context(), &acp.ReadTextFileRequest{Roots: []string{dir}, Path: path, Line: &line, Limit: &limit})
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "line %d", line)
		if line != 2 {
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "line %d", line)
		}
		return got, err
	}
	got, err := lines(1, 1)
	require.NoError(t, err)
	assert.Equal(t, "first\n", got)
	got, err = lines(3, 10)
	require.NoError(t, err)
	assert.Equal(t, "last\n", got)
	_, err = lines(2, 1)
	require.ErrorIs(t, err, workspace.ErrTooLarge)
	_, err = read(t, w, path, dir)
	require.ErrorIs(t, err, workspace.ErrTooLarge)
	assert.ErrorContains(t, err, "314572806 bytes")
}

func TestMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file.txt"), "x")
	for _, tc := range []struct {
		path  string
		empty bool // as the empty text, if that is asked for
	}{
		{path: "none.txt", empty: true},
		{path: "no/such/none.txt", empty: true},
		{path: "no/../file.txt"},
		{path: "none.txt/"},
	} {
		path := dir + string(filepath.Separator) + filepath.FromSlash(tc.path)
		_, err := read(t, workspace.New(nil), path, dir)
		require.ErrorIs(t, err, fs.ErrNotExist, tc.path)
		var answer *acp.Error
		assert.NotErrorAs(t, err, &answer, "the client has an answer for it")

		got, err := read(t, workspace.New(&workspace.Options{Missing: workspace.MissingEmpty}), path, dir)
		assert.Empty(t, got)
		assert.Equal(t, tc.empty, err == nil, "%s: %v", tc.path, err)
	}
	gone := filepath.Join(dir, "gone")
	_, err := read(t, workspace.New(&workspace.Options{Missing: workspace.MissingEmpty}), filepath.Join(gone, "x"), gone)
	assert.ErrorIs(t, err, fs.ErrNotExist, "a session without its directory has no files to create")
}

func TestReadIsGivenUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "f"), strings.Repeat("x", 1<<20))
	calls := 0
	for ; ; calls++ {
		ctx := &endingAfter{Context: t.Context()}
		ctx.left.Store(int64(calls))
		_, err := workspace.New(nil).ReadTextFile(ctx, &acp.ReadTextFileRequest{Roots: []string{dir}, Path: path})
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
	}
	assert.Greater(t, calls, 10, "it is noticed between chunks")
}

// endingAfter is a context that ends when its end has been asked for so many times.
type endingAfter struct {
	context.Context

	left atomic.Int64
}

func (c *endingAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
