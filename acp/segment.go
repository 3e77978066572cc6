package acp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// segment is one file of the spill log. It lives as long as somebody refers to it: the writer or a batch that is not
// read yet. Where the system allows it the file has no name from the beginning, so that a crash leaves nothing behind.
type segment struct {
	file *os.File
	name string // empty if the file has none
	size int64
	refs atomic.Int64
}

func newSegment(dir string) (*segment, error) {
	f, err := os.CreateTemp(dir, "acpharness-spill-") // 0600
	if err != nil {
		return nil, fmt.Errorf("cannot make a spill file: %w", err)
	}
	s := &segment{file: f, name: f.Name()}
	if os.Remove(s.name) == nil {
		s.name = ""
	}
	s.refs.Store(1)
	return s, nil
}

func (s *segment) ref() { s.refs.Add(1) }

func (s *segment) unref() {
	if s.refs.Add(-1) > 0 {
		return
	}
	_ = s.file.Close()
	if s.name != "" {
		_ = os.Remove(s.name)
	}
}

// append writes data at the end. Only the spill log's goroutine calls it.
func (s *segment) append(data []byte) (offset int64, err error) {
	offset = s.size
	n, err := s.file.WriteAt(data, offset)
	if err != nil {
		return 0, fmt.Errorf("cannot write a spill file (%d of %d bytes written): %w", n, len(data), err)
	}
	s.size += int64(n)
	return offset, nil
}

// readBatch reads a batch back. Each letter gets memory of its own, so that one that is kept does not keep the others.
func readBatch(b *batch) ([]letter, error) {
	data := make([]byte, b.length)
	if _, err := b.segment.file.ReadAt(data, b.offset); err != nil {
		return nil, fmt.Errorf("cannot read a spill file: %w", err)
	}
	letters := make([]letter, 0, b.count)
	for len(data) > 0 {
		var head [5]uint64
		for i := range head {
			n, width := binary.Uvarint(data)
			if width <= 0 {
				return nil, errSpillFormat
			}
			head[i], data = n, data[width:]
		}
		params, from, to, kind := head[0], head[1], head[2], head[3]
		if uint64(len(data)) < 1+kind+params || from > to || to > params {
			return nil, errSpillFormat
		}
		l := letter{
			seq: head[4], late: data[0]&flagLate != 0, bad: data[0]&flagBad != 0,
			replayed: data[0]&flagReplayed != 0, echo: data[0]&flagEcho != 0, unsolicited: data[0]&flagUnsolicited != 0,
			kind: updateKind(data[1 : 1+kind]), from: uint32(from), to: uint32(to),
			params: bytes.Clone(data[1+kind : 1+kind+params]),
		}
		letters = append(letters, l)
		data = data[1+kind+params:]
	}
	if len(letters) != b.count {
		return nil, errSpillFormat
	}
	return letters, nil
}

const (
	flagLate = 1 << iota
	flagBad
	flagReplayed
	flagEcho
	flagUnsolicited
)

var errSpillFormat = errors.New("cannot read a spill file: it was changed")

// encodeBatch writes letters one after another, each as lengths and numbers before its bytes.
func encodeBatch(letters []letter) []byte {
	size := 0
	for i := range letters {
		size += int(letters[i].size())
	}
	b := make([]byte, 0, size)
	for i := range letters {
		l := &letters[i]
		b = binary.AppendUvarint(b, uint64(len(l.params)))
		b = binary.AppendUvarint(b, uint64(l.from))
		b = binary.AppendUvarint(b, uint64(l.to))
		b = binary.AppendUvarint(b, uint64(len(l.kind)))
		b = binary.AppendUvarint(b, l.seq)
		b = append(b, flags(l))
		b = append(b, l.kind...)
		b = append(b, l.params...)
	}
	return b
}

func flags(l *letter) byte {
	var f byte
	if l.late {
		f |= flagLate
	}
	if l.bad {
		f |= flagBad
	}
	if l.replayed {
		f |= flagReplayed
	}
	if l.echo {
		f |= flagEcho
	}
	if l.unsolicited {
		f |= flagUnsolicited
	}
	return f
}
