package fakemcp_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemcp"
)

const line = `{"t":"2026-01-02T03:04:05.000000006Z","label":"l","pid":1,"ppid":2,"event":"start"}` + "\n"

func TestReadJournal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text    string
		entries int
		problem string
	}{
		{text: ""},
		{text: line, entries: 1},
		{text: line + line + `{"t":"20`, entries: 2},
		{text: line + line[:len(line)-1], entries: 1},
		{text: line + "{\n", problem: "line 2: unexpected end"},
		{text: line + "\n" + line, problem: "line 2:"},
		{text: "{}\n", problem: "line 1: it is no entry"},
		{text: line + line + "null\n", problem: "line 3: it is no entry"},
		{text: line + `{"event":"start","t":"yesterday"}` + "\n", problem: "line 2:"},
	} {
		path := filepath.Join(t.TempDir(), "j")
		write(t, path, tc.text)
		entries, err := fakemcp.ReadJournal(path)
		assert.Len(t, entries, tc.entries, tc.text)
		if tc.problem == "" {
			assert.NoError(t, err, tc.text)
		} else {
			assert.ErrorContains(t, err, tc.problem)
		}
	}
	_, err := fakemcp.ReadJournal(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestAwait(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j")
	asked := make(chan int, 100)
	type result struct {
		entries []fakemcp.Entry
		err     error
	}
	results := make(chan result, 1)
	ctx := limit(t)
	go func() {
		entries, err := fakemcp.Await(ctx, path, func(entries []fakemcp.Entry) bool {
			asked <- len(entries)
			return len(entries) == 2
		})
		results <- result{entries, err}
	}()
	assert.Zero(t, receive(ctx, t, asked), "the file does not exist yet")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString(line + line[:9])
	require.NoError(t, err)
	for receive(ctx, t, asked) != 1 {
	}
	_, err = file.WriteString(line[9:])
	require.NoError(t, err)
	require.NoError(t, file.Close())
	got := receive(ctx, t, results)
	require.NoError(t, got.err)
	assert.Len(t, got.entries, 2)
}

func TestAwaitEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	never := func([]fakemcp.Entry) bool { return false }
	write(t, filepath.Join(dir, "good"), line)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	entries, err := fakemcp.Await(ctx, filepath.Join(dir, "good"), never)
	require.ErrorIs(t, err, cause)
	assert.Len(t, entries, 1)

	write(t, filepath.Join(dir, "bad"), "bad\n")
	_, err = fakemcp.Await(t.Context(), filepath.Join(dir, "bad"), never)
	require.ErrorContains(t, err, "line 1")
	_, err = fakemcp.Await(t.Context(), filepath.Join(dir, "no", "folder"), never)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = fakemcp.Await(t.Context(), filepath.Join(dir, "good", "file"), never)
	require.Error(t, err)
}

// FuzzReadJournal: every complete line is an entry or an error.
func FuzzReadJournal(f *testing.F) {
	f.Add([]byte(line + line))
	f.Add([]byte(line + `{"event":"received","id":null,"arguments":{"a":[1]}}` + "\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := fakemcp.ParseJournal(text)
		if err == nil {
			assert.Len(t, entries, bytes.Count(text, []byte("\n")))
		}
	})
}
