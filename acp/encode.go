package acp

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// What is sent often, or may be long, is written straight into its frame: encoders that reflect look at every byte of a
// long prompt several times.

func appendString(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // bytes that are not UTF-8 cannot be sent; they are replaced
	return dst
}

// appendMember appends a member after another one. An empty optional member is left out.
func appendMember(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return appendRequired(dst, name, text)
}

func appendRequired(dst []byte, name, text string) []byte {
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	return appendString(dst, text)
}

func (c *TextContent) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"text"`...)
	dst = appendRequired(dst, "text", c.Text)
	return append(c.Annotations.appendJSON(dst), '}')
}

func (c *ImageContent) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"image"`...)
	dst = appendRequired(dst, "data", c.Data)
	dst = appendRequired(dst, "mimeType", c.MIMEType)
	dst = appendMember(dst, "uri", c.URI)
	return append(c.Annotations.appendJSON(dst), '}')
}

func (c *AudioContent) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"audio"`...)
	dst = appendRequired(dst, "data", c.Data)
	dst = appendRequired(dst, "mimeType", c.MIMEType)
	return append(c.Annotations.appendJSON(dst), '}')
}

func (c *ResourceLink) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"resource_link"`...)
	dst = appendRequired(dst, "uri", c.URI)
	dst = appendRequired(dst, "name", c.Name)
	dst = appendMember(dst, "title", c.Title)
	dst = appendMember(dst, "description", c.Description)
	dst = appendMember(dst, "mimeType", c.MIMEType)
	if c.Size != nil {
		dst = append(dst, `,"size":`...)
		dst = strconv.AppendInt(dst, *c.Size, 10)
	}
	return append(c.Annotations.appendJSON(dst), '}')
}

func (c *EmbeddedResource) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"resource","resource":{"uri":`...)
	dst = appendString(dst, c.URI)
	dst = appendMember(dst, "mimeType", c.MIMEType)
	if c.Text != nil {
		dst = appendRequired(dst, "text", *c.Text)
	}
	if c.Blob != nil {
		dst = appendRequired(dst, "blob", *c.Blob)
	}
	return append(c.Annotations.appendJSON(append(dst, '}')), '}')
}

func (u *Unknown) appendJSON(dst []byte) []byte {
	if len(u.Raw) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, u.Raw...)
}

// MarshalJSON writes the block as the protocol has it.
func (c *TextContent) MarshalJSON() ([]byte, error) { return c.appendJSON(nil), nil }

// MarshalJSON writes the block as the protocol has it.
func (c *ImageContent) MarshalJSON() ([]byte, error) { return c.appendJSON(nil), nil }

// MarshalJSON writes the block as the protocol has it.
func (c *AudioContent) MarshalJSON() ([]byte, error) { return c.appendJSON(nil), nil }

// MarshalJSON writes the block as the protocol has it.
func (c *ResourceLink) MarshalJSON() ([]byte, error) { return c.appendJSON(nil), nil }

// MarshalJSON writes the block as the protocol has it.
func (c *EmbeddedResource) MarshalJSON() ([]byte, error) { return c.appendJSON(nil), nil }

// MarshalJSON writes the value exactly as it came.
func (u *Unknown) MarshalJSON() ([]byte, error) { return u.appendJSON(nil), nil }

func (p promptParams) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"sessionId":`...)
	dst = appendString(dst, string(p.SessionID))
	dst = append(dst, `,"prompt":[`...)
	return append(appendBlocks(dst, p.Prompt), ']', '}')
}

// appendBlocks appends the elements of a list.
func appendBlocks(dst []byte, blocks []ContentBlock) []byte {
	for i, block := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = block.appendJSON(dst)
	}
	return dst
}

func (p sessionParams) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"sessionId":`...)
	return append(appendString(dst, string(p.SessionID)), '}')
}

func (o PermissionOutcome) appendJSON(dst []byte) []byte {
	if o.Cancelled() {
		return append(dst, `{"outcome":"cancelled"}`...)
	}
	dst = append(dst, `{"outcome":"selected"`...)
	return append(appendRequired(dst, "optionId", o.OptionID), '}')
}

// MarshalJSON writes the outcome as the protocol has it.
func (o PermissionOutcome) MarshalJSON() ([]byte, error) { return o.appendJSON(nil), nil }

func (r permissionResult) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"outcome":`...)
	return append(r.Outcome.appendJSON(dst), '}')
}
