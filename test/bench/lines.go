package main

import (
	"bytes"
	"io"
)

// lineReader splits a stream into lines with as little work as possible. Lines may have any length.
type lineReader struct {
	src        io.Reader
	buf        []byte
	begin, end int // what was read and not returned
}

func newLineReader(src io.Reader) *lineReader {
	return &lineReader{src: src, buf: make([]byte, 256<<10)}
}

// next returns the next line without its newline, valid until the next call.
func (r *lineReader) next() ([]byte, error) {
	seen := r.begin
	for {
		if i := bytes.IndexByte(r.buf[seen:r.end], '\n'); i >= 0 {
			line := r.buf[r.begin : seen+i]
			r.begin = seen + i + 1
			return line, nil
		}
		seen = r.end
		if r.end == len(r.buf) {
			kept := r.buf[r.begin:r.end]
			if len(kept) > len(r.buf)/2 {
				r.buf = make([]byte, 2*len(r.buf))
			}
			copy(r.buf, kept)
			r.begin, r.end, seen = 0, len(kept), len(kept)
		}
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		if n == 0 && err != nil {
			return nil, err
		}
	}
}
