package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/acpharness/acpharness/acp"
)

// Rough sizes of what surrounds a payload, so that many small things count as well.
const (
	entrySize = 256
	itemSize  = 64
)

// fit returns how many bytes of s, in whole characters, there is room for.
func fit(s string, room int) int {
	room = max(room, 0)
	if len(s) <= room {
		return len(s)
	}
	for back := 0; back < utf8.UTFMax && room-back >= 0; back++ {
		if utf8.RuneStart(s[room-back]) {
			return room - back
		}
	}
	return room // no UTF-8
}

// clip returns as much of s as fits and how much does not. What it cuts does not keep the whole alive.
func clip(s string, limit int) (string, int) {
	n := fit(s, limit)
	if n == len(s) {
		return s, 0
	}
	return strings.Clone(s[:n]), len(s) - n
}

// clipPointer is clip for what is no payload and needs no mark.
func clipPointer(s *string, limit int) *string {
	if len(*s) <= limit {
		return s
	}
	short, _ := clip(*s, limit)
	return &short
}

// keepRaw returns a copy of raw, which is part of a frame, or nil and its length if it is too long.
func keepRaw(raw json.RawMessage, limit int) (json.RawMessage, int) {
	if len(raw) > limit {
		return nil, len(raw)
	}
	return bytes.Clone(raw), 0
}

// text is a text that grows. What String returned stays as it is.
type text struct {
	buf  *strings.Builder
	full bool // something was cut off; what follows would not fit to it
}

// append adds as much of s as there is room for and returns how much there is not.
func (t *text) append(s string, room int) (cut int) {
	n := 0
	if !t.full {
		n = fit(s, room)
	}
	if t.buf == nil {
		t.buf = &strings.Builder{}
	}
	t.buf.WriteString(s[:n])
	t.full = t.full || n < len(s)
	return len(s) - n
}

func (t *text) String() string {
	if t.buf == nil {
		return ""
	}
	return t.buf.String()
}

// blockSize returns about how many bytes a content block has.
func blockSize(block acp.ContentBlock) int {
	switch c := block.(type) {
	case *acp.TextContent:
		return itemSize + len(c.Text)
	case *acp.ImageContent:
		return itemSize + len(c.Data) + len(c.MIMEType) + len(c.URI)
	case *acp.AudioContent:
		return itemSize + len(c.Data) + len(c.MIMEType)
	case *acp.ResourceLink:
		return itemSize + len(c.URI) + len(c.Name) + len(c.Title) + len(c.Description) + len(c.MIMEType)
	case *acp.EmbeddedResource:
		return itemSize + len(c.URI) + len(c.MIMEType) + lenOf(c.Text) + lenOf(c.Blob)
	case *acp.Unknown:
		return itemSize + len(c.Kind) + len(c.Raw)
	}
	return itemSize
}

func lenOf(s *string) int {
	if s == nil {
		return 0
	}
	return len(*s)
}

// ownUnknown returns a copy that does not keep a frame alive.
func ownUnknown(u *acp.Unknown) *acp.Unknown {
	return &acp.Unknown{Kind: u.Kind, Raw: bytes.Clone(u.Raw)}
}

// ownBlock returns block without the frame that it came in.
func ownBlock(block acp.ContentBlock) acp.ContentBlock {
	if u, ok := block.(*acp.Unknown); ok {
		return ownUnknown(u)
	}
	return block
}
