package transcript

import (
	"strings"

	"github.com/acpharness/acpharness/acp"
)

// keepContents returns the contents that fit, in order, and how many bytes do not (zed-industries/zed#60134). A text is
// cut; a diff that is cut would be another diff, so that one is left out whole.
func keepContents(contents []acp.ToolCallContent, limit int) (kept []acp.ToolCallContent, cut int) {
	kept = []acp.ToolCallContent{} // an empty list was sent, nil was not
	room := limit
	for _, content := range contents {
		size := contentSize(content)
		if size > room {
			text, ok := textOf(content)
			n := fit(text, room-itemSize)
			if !ok || n == 0 {
				cut += size
				continue
			}
			cut += len(text) - n
			content = &acp.ToolContent{Content: &acp.TextContent{Text: strings.Clone(text[:n])}}
			size = room
		}
		room -= size
		kept = append(kept, ownContent(content))
	}
	return kept, cut
}

func textOf(content acp.ToolCallContent) (string, bool) {
	if c, ok := content.(*acp.ToolContent); ok {
		if text, ok := c.Content.(*acp.TextContent); ok {
			return text.Text, true
		}
	}
	return "", false
}

func contentSize(content acp.ToolCallContent) int {
	switch c := content.(type) {
	case *acp.ToolContent:
		return blockSize(c.Content)
	case *acp.Diff:
		return itemSize + len(c.Path) + lenOf(c.OldText) + len(c.NewText)
	case *acp.Terminal:
		return itemSize + len(c.ID)
	case *acp.Unknown:
		return itemSize + len(c.Kind) + len(c.Raw)
	}
	return itemSize
}

// ownContent returns content without the frame that it came in.
func ownContent(content acp.ToolCallContent) acp.ToolCallContent {
	switch c := content.(type) {
	case *acp.Unknown:
		return ownUnknown(c)
	case *acp.ToolContent:
		if u, ok := c.Content.(*acp.Unknown); ok {
			return &acp.ToolContent{Content: ownUnknown(u)}
		}
	}
	return content
}

func keepLocations(locations []acp.ToolCallLocation, limit int) []acp.ToolCallLocation {
	kept := []acp.ToolCallLocation{}
	for _, l := range locations {
		if limit -= itemSize + len(l.Path); limit < 0 {
			break
		}
		kept = append(kept, l)
	}
	return kept
}

// measure returns about how many bytes the record has.
func (c *ToolCall) measure() int {
	size := entrySize + len(c.ID) + lenOf(c.Title) + lenOf(c.Name) + len(c.Kind) + len(c.Status) +
		len(c.RawInput) + len(c.RawOutput) + len(c.Raw)
	for _, content := range c.Content {
		size += contentSize(content)
	}
	for _, l := range c.Locations {
		size += itemSize + len(l.Path)
	}
	return size
}
