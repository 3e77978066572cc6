package mcpfile_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/harness/mcpfile"
)

// TestServerIsPrivate: a server and an entry are printed and marshalled without a value that may be a secret.
func TestServerIsPrivate(t *testing.T) {
	t.Parallel()
	spec, err := mcpfile.ParseSpec(`{"command":"x","env":{"T":"hunter2"}}`)
	require.NoError(t, err)
	entry := mcpfile.Entry{Name: "a", Spec: spec, Server: mcpfile.Server{
		URL: "https://u:hunter2@example.com/?hunter2", Headers: map[string]string{"H": "hunter2"}, Env: map[string]string{"T": "hunter2"},
	}}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "entry", entry, "server", entry.Server, "pointer", &entry, "list", []mcpfile.Entry{entry})
	asJSON, err := json.Marshal([]any{entry, entry.Server, &entry.Server})
	require.NoError(t, err)
	for _, s := range []string{log.String(), string(asJSON), fmt.Sprintf("%v %+v %#v", entry, entry, entry)} {
		assert.NotContains(t, s, "hunter2")
		assert.Contains(t, s, "T")
	}
	assert.Contains(t, string(asJSON), `"headers":["H"]`)
}

func TestMasked(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		`{"type":"http","command":"x","args":["-y","a"],"timeout":5,"trust":true,"x":null}`: "",
		`{"command":["x","y"],"url":"https://example.com/mcp"}`:                             "",
		`{"url":"https://example.com/mcp?token=x;y"}`:                                       `{"url":"https://example.com/mcp?[redacted]"}`,
		`{"url":"https://example.com/mcp?a%zz=x"}`:                                          `{"url":"https://example.com/mcp?[redacted]"}`,
		`{"httpUrl":"https://example.com/?x#y"}`:                                            `{"httpUrl":"https://example.com/?[redacted]#[redacted]"}`,
		`{"url":"https://u:p@example.com/a%2Fb#y"}`:                                         `{"url":"https://[redacted]@example.com/a%2Fb#[redacted]"}`,
		`{"url":"https://exa mple.com/"}`:                                                   `{"url":"[redacted]"}`,
		`{"args":["/x https://u:p@x/","a:b://u:p@x/"]}`:                                     `{"args":["[redacted]","[redacted]"]}`,
		`{"args":["https://u:p@x/","--a"]}`:                                                 `{"args":["https://[redacted]@x/","--a"]}`,
		`{"token":"s","list":["s",{"a":1}],"args":[["s"],{"a":"s"}],"env":{"A":1}}`:         `{"token":"[redacted]","list":["[redacted]",{"a":"[redacted]"}],"args":[["[redacted]"],{"a":"[redacted]"}],"env":{"A":"[redacted]"}}`,
	} {
		if want == "" {
			want = spec
		}
		s, err := mcpfile.ParseSpec(spec)
		require.NoError(t, err)
		assert.Equal(t, want, s.Masked())
	}
}

// TestErrorsHaveNoValues: what could not be read or written is not named.
func TestErrorsHaveNoValues(t *testing.T) {
	t.Parallel()
	const big = "99999999999999999999"
	config, _ := setup(t, "codex", "", "")
	spec, err := mcpfile.ParseSpec(`{"command":"x","x":` + big + `}`)
	require.NoError(t, err)
	_, err = config.Add(t.Context(), mcpfile.Entry{Name: "a", Spec: spec})
	require.ErrorContains(t, err, "too big")
	require.NotContains(t, err.Error(), "9999")
	for _, text := range []string{"x = " + big, "x = 0x" + big + big, "x = 1e" + big + "a", "x = 9999-99-99", "x = 99:99:99", "x = 9999_"} {
		err := file(t, "codex").ParseState([]byte(text)).Err()
		if err != nil {
			require.NotContains(t, err.Error(), "99", text)
		}
	}
}
