package fakeagent

import "bytes"

var byteOrderMark = []byte("\xef\xbb\xbf")

// outgoing is one frame before it is dressed for the wire.
type outgoing struct {
	method string // own method, or that of the request answered
	answer bool
	last   bool // nothing follows it, see Script.NoNewlineAtEOF
	body   []byte
}

// dress returns the bytes of a frame with all that the script puts around it.
func (s *Script) dress(f outgoing) []byte {
	eol := "\n"
	if s.CRLF {
		eol = "\r\n"
	}
	var buf bytes.Buffer
	for range s.BlankLines {
		buf.WriteString(eol)
	}
	s.addNoise(&buf, NoiseAtBefore, f)
	s.addNoise(&buf, NoiseAtGlued, f)
	switch {
	case f.last && s.TruncateAtEOF:
		buf.Write(f.body[:len(f.body)/2])
		return buf.Bytes()
	case f.last && s.NoNewlineAtEOF:
		buf.Write(f.body)
		return buf.Bytes()
	}
	buf.Write(f.body)
	buf.WriteString(eol)
	s.addNoise(&buf, NoiseAtAfter, f)
	return buf.Bytes()
}

func (s *Script) addNoise(buf *bytes.Buffer, at NoiseAt, f outgoing) {
	for _, n := range s.Noise {
		if n.At == at && (n.Method == f.method || n.Method == "" && f.answer) {
			buf.WriteString(n.Text)
			buf.Write(n.Bytes)
		}
	}
}

// startNoise is what is written before anything else.
func (s *Script) startNoise() []byte {
	var buf bytes.Buffer
	for _, n := range s.Noise {
		if n.At == NoiseAtStart {
			buf.WriteString(n.Text)
			buf.Write(n.Bytes)
		}
	}
	return buf.Bytes()
}
