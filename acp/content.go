package acp

import "encoding/json"

// ContentBlock is a piece of a prompt, a message or a tool call's output. It mirrors ContentBlock of the protocol. The
// variants are [*TextContent], [*ImageContent], [*AudioContent], [*ResourceLink], [*EmbeddedResource] and, for what this
// package does not know, [*Unknown].
type ContentBlock interface {
	isContentBlock()
}

// TextContent is plain text or Markdown.
type TextContent struct {
	Text string
}

// ImageContent is an image, base64 in Data.
type ImageContent struct {
	Data     string
	MIMEType string
	URI      string
}

// AudioContent is a sound, base64 in Data.
type AudioContent struct {
	Data     string
	MIMEType string
}

// ResourceLink names a resource that the receiver can read by itself.
type ResourceLink struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        *int64 // bytes, nil if unknown
}

// EmbeddedResource carries a resource's contents: Text, or Blob in base64.
type EmbeddedResource struct {
	URI      string
	MIMEType string
	Text     *string
	Blob     *string
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

// MarshalJSON writes the block as the protocol has it.
func (c *TextContent) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", c.Text})
}

// MarshalJSON writes the block as the protocol has it.
func (c *ImageContent) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type     string `json:"type"`
		Data     string `json:"data"`
		MIMEType string `json:"mimeType"`
		URI      string `json:"uri,omitempty"`
	}{"image", c.Data, c.MIMEType, c.URI})
}

// MarshalJSON writes the block as the protocol has it.
func (c *AudioContent) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type     string `json:"type"`
		Data     string `json:"data"`
		MIMEType string `json:"mimeType"`
	}{"audio", c.Data, c.MIMEType})
}

// MarshalJSON writes the block as the protocol has it.
func (c *ResourceLink) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type        string `json:"type"`
		URI         string `json:"uri"`
		Name        string `json:"name"`
		Title       string `json:"title,omitempty"`
		Description string `json:"description,omitempty"`
		MIMEType    string `json:"mimeType,omitempty"`
		Size        *int64 `json:"size,omitempty"`
	}{"resource_link", c.URI, c.Name, c.Title, c.Description, c.MIMEType, c.Size})
}

// MarshalJSON writes the block as the protocol has it.
func (c *EmbeddedResource) MarshalJSON() ([]byte, error) {
	type contents struct {
		URI      string  `json:"uri"`
		MIMEType string  `json:"mimeType,omitempty"`
		Text     *string `json:"text,omitempty"`
		Blob     *string `json:"blob,omitempty"`
	}
	return json.Marshal(struct {
		Type     string   `json:"type"`
		Resource contents `json:"resource"`
	}{"resource", contents{c.URI, c.MIMEType, c.Text, c.Blob}})
}

// MarshalJSON writes the value exactly as it came.
func (u *Unknown) MarshalJSON() ([]byte, error) { return u.Raw.MarshalJSON() }

// optContentBlock returns nil for null.
func (d *decoder) optContentBlock(path string, raw []byte) ContentBlock {
	if isNull(raw) {
		return nil
	}
	return d.contentBlock(path, raw)
}

// contentBlock decodes one block by its discriminator alone.
func (d *decoder) contentBlock(path string, raw []byte) ContentBlock {
	kind := discriminator(raw, "type")
	switch kind {
	case "text":
		c := &TextContent{}
		d.object(path, raw, func(key string, value []byte) {
			if key == "text" {
				d.str(path+".text", value, &c.Text)
			}
		})
		return c
	case "image":
		c := &ImageContent{}
		d.object(path, raw, func(key string, value []byte) {
			switch key {
			case "data":
				d.str(path+".data", value, &c.Data)
			case "mimeType":
				d.str(path+".mimeType", value, &c.MIMEType)
			case "uri":
				d.str(path+".uri", value, &c.URI)
			}
		})
		return c
	case "audio":
		c := &AudioContent{}
		d.object(path, raw, func(key string, value []byte) {
			switch key {
			case "data":
				d.str(path+".data", value, &c.Data)
			case "mimeType":
				d.str(path+".mimeType", value, &c.MIMEType)
			}
		})
		return c
	case "resource_link":
		return d.resourceLink(path, raw)
	case "resource":
		return d.embeddedResource(path, raw)
	}
	if len(raw) == 0 || raw[0] != '{' {
		d.warn(path, "want a content block, have %s", kindOf(raw))
	}
	return &Unknown{Kind: kind, Raw: raw}
}

func (d *decoder) resourceLink(path string, raw []byte) *ResourceLink {
	c := &ResourceLink{}
	d.object(path, raw, func(key string, value []byte) {
		switch key {
		case "uri":
			d.str(path+".uri", value, &c.URI)
		case "name":
			d.str(path+".name", value, &c.Name)
		case "title":
			d.str(path+".title", value, &c.Title)
		case "description":
			d.str(path+".description", value, &c.Description)
		case "mimeType":
			d.str(path+".mimeType", value, &c.MIMEType)
		case "size":
			d.optInt(path+".size", value, &c.Size)
		}
	})
	return c
}

func (d *decoder) embeddedResource(path string, raw []byte) *EmbeddedResource {
	c := &EmbeddedResource{}
	d.object(path, raw, func(key string, value []byte) {
		if key != "resource" {
			return
		}
		path := path + ".resource"
		d.object(path, value, func(key string, value []byte) {
			switch key {
			case "uri":
				d.str(path+".uri", value, &c.URI)
			case "mimeType":
				d.str(path+".mimeType", value, &c.MIMEType)
			case "text":
				d.optStr(path+".text", value, &c.Text)
			case "blob":
				d.optStr(path+".blob", value, &c.Blob)
			}
		})
	})
	return c
}

func (d *decoder) contentBlocks(path string, raw []byte) []ContentBlock {
	var blocks []ContentBlock
	d.list(path, raw, func(path string, value []byte) {
		blocks = append(blocks, d.contentBlock(path, value))
	})
	return blocks
}
