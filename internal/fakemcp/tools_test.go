package fakemcp_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemcp"
)

func TestParseTools(t *testing.T) {
	t.Parallel()
	file, err := fakemcp.ParseTools([]byte(`{"instructions":"i","tools":[
		{"name":"a","description":"d","inputSchema":{"type": "object"},"text":"t","isError":true,"delay":"200ms"},{"name":"b"}]}`))
	require.NoError(t, err)
	object := json.RawMessage(`{"type":"object"}`)
	assert.Equal(t, &fakemcp.ToolsFile{Instructions: "i", Tools: []fakemcp.Tool{
		{Name: "a", Description: "d", InputSchema: object, Text: "t", IsError: true, Delay: fakemcp.Duration(200 * time.Millisecond)},
		{Name: "b", InputSchema: object},
	}}, file)
	for _, text := range []string{
		``, `null`, `[]`, `{}`, `{"tools":null}`, `{"tools":{}}`, `{"tools":[]} {}`, `{"tools":[]`, `{"tools":[],"resources":[]}`,
		`{"tools":[{}]}`, `{"tools":[{"name":""}]}`, `{"tools":[{"name":"a"},{"name":"a"}]}`, `{"tools":[{"name":"a","nme":1}]}`,
		`{"tools":[{"name":"a","inputSchema":null}]}`, `{"tools":[{"name":"a","inputSchema":{"type":"array"}}]}`,
		`{"tools":[{"name":"a","inputSchema":{}}]}`, `{"tools":[{"name":"a","delay":"soon"}]}`,
		`{"tools":[{"name":"a","delay":"-1s"}]}`, `{"tools":[{"name":"a","delay":5}]}`,
		`{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"x-mcp-header":5}}}}]}`,
	} {
		_, err := fakemcp.ParseTools([]byte(text))
		assert.ErrorContains(t, err, "cannot read the tools", text)
	}
}

// FuzzParseTools: whatever is taken can be written and taken again.
func FuzzParseTools(f *testing.F) {
	f.Add([]byte(`{"instructions":"i","tools":[{"name":"a","inputSchema":{"type":"object"},"text":"t","delay":"1s"},{"name":"b"}]}`))
	f.Add([]byte(`{"tools":[]}`))
	f.Add([]byte(`{"tools":[{"name":"a","inputSchema":{"type":"object","type":1}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := fakemcp.ParseTools(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(file)
		require.NoError(t, err)
		second, err := fakemcp.ParseTools(again)
		require.NoError(t, err)
		third, err := json.Marshal(second)
		require.NoError(t, err)
		assert.Equal(t, string(again), string(third))
	})
}
