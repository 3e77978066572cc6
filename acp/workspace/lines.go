package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/acpharness/acpharness/acp"
)

// chunk is how much is read at once. Between chunks the end of the context is noticed.
const chunk = 32 << 10

// lines are a part of a file.
type lines struct {
	skip  int64 // how many lines come before it
	limit int64 // how many lines it has, negative for all
}

func linesOf(req *acp.ReadTextFileRequest) (lines, error) {
	l := lines{limit: -1}
	if req.Line != nil {
		if *req.Line < 0 {
			return l, refuse(ErrBadWindow, "line is %d; the first line is 1", *req.Line)
		}
		l.skip = max(0, *req.Line-1)
	}
	if req.Limit != nil {
		if *req.Limit < 0 {
			return l, refuse(ErrBadWindow, "limit is %d; leave it out to read to the end", *req.Limit)
		}
		l.limit = *req.Limit
	}
	return l, nil
}

func (l lines) whole() bool { return l.skip == 0 && l.limit < 0 }

// cut reads the lines from the start of a file, and no further than it must. It keeps nothing but them, at most the given
// number of bytes, however long the lines before them are.
func (l lines) cut(ctx context.Context, r io.Reader, most int64) (string, error) {
	var out strings.Builder
	buf := make([]byte, chunk)
	skip, left := l.skip, l.limit
	for eof := false; !eof && left != 0; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := r.Read(buf)
		if eof = errors.Is(err, io.EOF); err != nil && !eof {
			return "", err
		}
		data := buf[:n]
		n, skip = span(data, skip)
		data = data[n:]
		if skip > 0 {
			continue
		}
		n, left = span(data, left)
		if int64(n) > most-int64(out.Len()) {
			return "", l.tooLarge(out.String()+string(data[:n]), most)
		}
		out.Write(data[:n])
	}
	if text := out.String(); isText(text) {
		return text, nil
	}
	return "", refuse(ErrBinary, "it is not text in UTF-8")
}

// span returns how many bytes of data belong to the next lines, and how many of these lines do not end in it. A negative
// number of lines is all there are.
func span(data []byte, lines int64) (n int, left int64) {
	if lines < 0 {
		return len(data), lines
	}
	for ; lines > 0; lines-- {
		i := bytes.IndexByte(data[n:], '\n')
		if i < 0 {
			return len(data), lines
		}
		n += i + 1
	}
	return n, 0
}

func (l lines) tooLarge(text string, most int64) error {
	if i := strings.IndexByte(text, '\n'); i >= 0 && int64(i) < most {
		return refuse(ErrTooLarge, "these lines have more than the %d bytes that are read at once; ask for fewer with limit", most)
	}
	return refuse(ErrTooLarge, "line %d alone has more than the %d bytes that are read at once", l.skip+1, most)
}

// isText reports whether a text survives being sent as JSON and is no binary file.
func isText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }
