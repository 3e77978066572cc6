package acp

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestContentBlocks(t *testing.T) {
	tests := []struct {
		name  string
		block ContentBlock
		wire  string
	}{
		{"Text", &TextContent{"a <b> & \"c\" \u2028 日本語 🙂", nil}, `{"type":"text","text":"a <b> & \"c\" \u2028 日本語 🙂"}`},
		{"EmptyText", &TextContent{}, `{"type":"text","text":""}`},
		{"Image", &ImageContent{"aGk=", "image/png", "file:///a.png", nil}, `{"type":"image","data":"aGk=","mimeType":"image/png","uri":"file:///a.png"}`},
		{"ImageWithoutURI", &ImageContent{Data: "aGk=", MIMEType: "image/png"}, `{"type":"image","data":"aGk=","mimeType":"image/png"}`},
		{"Audio", &AudioContent{"aGk=", "audio/wav", nil}, `{"type":"audio","data":"aGk=","mimeType":"audio/wav"}`},
		{
			"Link", &ResourceLink{"file:///a", "a", "A", "the a", "text/plain", new(int64(0)), nil},
			`{"type":"resource_link","uri":"file:///a","name":"a","title":"A","description":"the a","mimeType":"text/plain","size":0}`,
		},
		{"BareLink", &ResourceLink{URI: "file:///a", Name: "a"}, `{"type":"resource_link","uri":"file:///a","name":"a"}`},
		{"TextResource", &EmbeddedResource{URI: "file:///a", MIMEType: "text/plain", Text: new("")}, `{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":""}}`},
		{"BlobResource", &EmbeddedResource{URI: "file:///a", Blob: new("aGk=")}, `{"type":"resource","resource":{"uri":"file:///a","blob":"aGk="}}`},
		{"Unknown", &Unknown{"smell", json.RawMessage(`{"type":"smell","strength":1e2}`)}, `{"type":"smell","strength":1e2}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := json.Marshal(tt.block)
			require.NoError(t, err)
			assert.JSONEq(t, tt.wire, string(raw))

			frame, err := encodeRequest(7, "session/prompt", promptParams{SessionID: "s", Prompt: []ContentBlock{tt.block, tt.block}})
			require.NoError(t, err)
			assert.JSONEq(t, `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+tt.wire+`,`+tt.wire+`]}}`, string(frame))
			assert.Equal(t, len(frame)-1, bytes.IndexByte(frame, '\n'), "a frame is one line")

			for _, wire := range []string{string(raw), tt.wire} {
				var d decoder
				assert.Equal(t, tt.block, d.contentBlock("", []byte(wire)))
				assert.Empty(t, d.warnings)
			}
		})
	}
}

func TestUnknownWithoutRaw(t *testing.T) {
	raw, err := json.Marshal(&Unknown{Kind: "x"})
	require.NoError(t, err)
	assert.Equal(t, "null", string(raw))
}

func TestText(t *testing.T) {
	assert.Equal(t, []ContentBlock{&TextContent{"hi", nil}}, Text("hi"))
}
