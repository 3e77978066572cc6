package workspace

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

// reference is the same as lines.cut in the simplest words, without bounds.
func reference(text string, line, limit int64) string {
	all := strings.SplitAfter(text, "\n")
	all = all[min(int64(len(all)), max(line-1, 0)):]
	if limit >= 0 {
		all = all[:min(int64(len(all)), limit)]
	}
	return strings.Join(all, "")
}

func FuzzLines(f *testing.F) {
	f.Add("a\r\nb\n\nc", int64(2), int64(1), int64(100), true)
	f.Add("\ufeffä\n€\n😀", int64(1), int64(-1), int64(4), false)
	f.Add(strings.Repeat("x", 3*chunk)+"\n\n"+strings.Repeat("y\n", chunk), int64(2), int64(7), int64(9), false)
	f.Add("\xff\n\x00\nok\n", int64(0), int64(0), int64(0), true)
	f.Fuzz(func(t *testing.T, text string, line, limit, most int64, slow bool) {
		line, most = max(line, 0), max(most, 0)
		req := &acp.ReadTextFileRequest{Line: &line, Limit: &limit}
		if limit < 0 {
			limit, req.Limit = -1, nil
		}
		l, err := linesOf(req)
		require.NoError(t, err)
		var in io.Reader = strings.NewReader(text)
		if slow {
			in = iotest.DataErrReader(iotest.OneByteReader(in))
		}
		got, err := l.cut(t.Context(), in, most)
		switch want := reference(text, line, limit); {
		case int64(len(want)) > most:
			require.ErrorIs(t, err, ErrTooLarge)
		case !isText(want):
			require.ErrorIs(t, err, ErrBinary)
		default:
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	})
}

func TestLinesPassReadErrorsOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := lines{limit: -1}.cut(t.Context(), io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), 10)
	require.ErrorIs(t, err, broken)
	got, err := lines{limit: 1}.cut(t.Context(), io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), 10)
	require.NoError(t, err)
	assert.Equal(t, "a\n", got, "nothing is read behind the lines that were asked for")
}
