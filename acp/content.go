package acp

import "encoding/json"

// ContentBlock is a piece of a prompt, a message or a tool call's output. It mirrors ContentBlock of the protocol. The
// variants are [*TextContent], [*ImageContent], [*AudioContent], [*ResourceLink], [*EmbeddedResource] and, for what this
// package does not know, [*Unknown].
type ContentBlock interface {
	isContentBlock()
	appendJSON(dst []byte) []byte
}

// TextContent is plain text or Markdown.
type TextContent struct {
	Text        string
	Annotations *Annotations // nil if there are none
}

// ImageContent is an image, base64 in Data.
type ImageContent struct {
	Data     string
	MIMEType string
	URI      string

	Annotations *Annotations // nil if there are none
}

// AudioContent is a sound, base64 in Data.
type AudioContent struct {
	Data     string
	MIMEType string

	Annotations *Annotations // nil if there are none
}

// ResourceLink names a resource that the receiver can read by itself.
type ResourceLink struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        *int64 // bytes, nil if unknown

	Annotations *Annotations // nil if there are none
}

// EmbeddedResource carries a resource's contents: Text, or Blob in base64.
type EmbeddedResource struct {
	URI      string
	MIMEType string
	Text     *string
	Blob     *string

	Annotations *Annotations // nil if there are none
}

// Unknown is a variant of a union that this package does not know, or one whose payload has the wrong shape. It stands
// for itself in every union of the package, and nothing of it is lost.
type Unknown struct {
	Kind string          // the discriminator as sent, may be empty
	Raw  json.RawMessage // the whole value as sent
}

func (*TextContent) isContentBlock()      {}
func (*ImageContent) isContentBlock()     {}
func (*AudioContent) isContentBlock()     {}
func (*ResourceLink) isContentBlock()     {}
func (*EmbeddedResource) isContentBlock() {}
func (*Unknown) isContentBlock()          {}

// Text returns a prompt of one text block.
func Text(text string) []ContentBlock { return []ContentBlock{&TextContent{Text: text}} }

// optContentBlock returns nil for null.
func (d *decoder) optContentBlock(name string, raw []byte) ContentBlock {
	if isNull(raw) {
		return nil
	}
	return d.contentBlock(name, raw)
}

// blockMembers are the members of all the content blocks, as tokens, so that a block is read in one pass wherever its
// discriminator stands.
type blockMembers struct {
	kind, text, data, mimeType, uri, name, title, description, size, resource, annotations []byte
}

func (m *blockMembers) read(raw []byte) bool {
	c := cursor{b: raw}
	c.space()
	for more := c.object(); more; more = c.next('}') {
		switch string(c.key()) {
		case "type":
			m.kind = c.value()
		case "text":
			m.text = c.value()
		case "data":
			m.data = c.value()
		case "mimeType":
			m.mimeType = c.value()
		case "uri":
			m.uri = c.value()
		case "name":
			m.name = c.value()
		case "title":
			m.title = c.value()
		case "description":
			m.description = c.value()
		case "size":
			m.size = c.value()
		case "resource":
			m.resource = c.value()
		case "annotations":
			m.annotations = c.value()
		default:
			c.skip()
		}
	}
	return !c.bad
}

// contentBlock decodes one block by its discriminator alone.
func (d *decoder) contentBlock(name string, raw []byte) ContentBlock {
	return d.contentBlockIn(name, raw, nil)
}

// contentBlockIn is contentBlock with room for a text, the most frequent block; nil makes room.
func (d *decoder) contentBlockIn(name string, raw []byte, room *TextContent) ContentBlock {
	if name != "" {
		d.in(step{name: name})
		defer d.out()
	}
	var m blockMembers
	if !m.read(raw) {
		d.warn("", "want a content block, have %s", kindOf(raw))
		return &Unknown{Raw: raw}
	}
	kind := bareString(m.kind)
	switch string(kind) {
	case "text":
		if room == nil {
			room = &TextContent{}
		}
		d.str("text", m.text, &room.Text)
		room.Annotations = d.annotations(m.annotations)
		return room
	case "image":
		c := &ImageContent{Annotations: d.annotations(m.annotations)}
		d.str("data", m.data, &c.Data)
		d.str("mimeType", m.mimeType, &c.MIMEType)
		d.str("uri", m.uri, &c.URI)
		return c
	case "audio":
		c := &AudioContent{Annotations: d.annotations(m.annotations)}
		d.str("data", m.data, &c.Data)
		d.str("mimeType", m.mimeType, &c.MIMEType)
		return c
	case "resource_link":
		c := &ResourceLink{Annotations: d.annotations(m.annotations)}
		d.str("uri", m.uri, &c.URI)
		d.str("name", m.name, &c.Name)
		d.str("title", m.title, &c.Title)
		d.str("description", m.description, &c.Description)
		d.str("mimeType", m.mimeType, &c.MIMEType)
		d.optInt("size", m.size, &c.Size)
		return c
	case "resource":
		c := d.embeddedResource(m.resource)
		c.Annotations = d.annotations(m.annotations)
		return c
	}
	return &Unknown{Kind: string(kind), Raw: raw}
}

func (d *decoder) embeddedResource(raw []byte) *EmbeddedResource {
	c := &EmbeddedResource{}
	d.object("resource", raw, func(key, value []byte) {
		switch string(key) {
		case "uri":
			d.str("uri", value, &c.URI)
		case "mimeType":
			d.str("mimeType", value, &c.MIMEType)
		case "text":
			d.optStr("text", value, &c.Text)
		case "blob":
			d.optStr("blob", value, &c.Blob)
		}
	})
	return c
}

func (d *decoder) contentBlocks(name string, raw []byte) []ContentBlock {
	blocks := []ContentBlock{}
	if !d.list(name, raw, func(value []byte) { blocks = append(blocks, d.contentBlock("", value)) }) {
		return nil
	}
	return blocks
}
