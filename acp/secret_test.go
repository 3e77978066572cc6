package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

// sentinel is a secret that must be seen nowhere.
const sentinel = "sk-SENTINEL-4f1d\"quoted"

// seen gathers everything that is shown.
type seen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *seen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *seen) add(v any) {
	encoded, _ := json.Marshal(v)
	fmt.Fprintf(s, "%v %+v %#v %s\n", v, v, v, encoded)
}

func TestSecretsAreShownNowhere_acpxN01(t *testing.T) {
	noise := strings.Repeat("x", 250) + sentinel // a cut through the middle must not show a half
	script, err := json.Marshal(map[string]any{
		"noise":     []any{map[string]any{"at": "start", "text": noise + "\nkey is " + sentinel + "\n"}},
		"error":     map[string]any{"code": -32603, "message": "bad key " + sentinel, "data": map[string]any{"key": sentinel}},
		"agentInfo": map[string]any{"name": "leaky", "version": "1.0.0"},
	})
	require.NoError(t, err)
	for _, tc := range []struct {
		name    string
		command func(t *testing.T) *acp.CommandTransport
		secrets []string
	}{
		{"in the environment", func(t *testing.T) *acp.CommandTransport {
			t.Helper()
			transport := processAgent(t, string(script))
			transport.Env = append(transport.Env, "LEAKY_API_KEY="+sentinel)
			return transport
		}, nil},
		{"named by the caller", func(t *testing.T) *acp.CommandTransport {
			t.Helper()
			return processAgent(t, string(script))
		}, []string{sentinel}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out seen
			handler := acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
				panic("handler knows " + sentinel)
			})
			conn, err := acp.NewClient(testClient, &acp.ClientOptions{
				Secrets: tc.secrets, Permission: handler,
				Logger:     slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})),
				Diagnostic: func(d acp.Diagnostic) { out.add(d) },
			}).Connect(t.Context(), tc.command(t))
			require.NoError(t, err)
			session, err := conn.NewSession(t.Context(), "/", nil)
			require.NoError(t, err)
			_, _, err = play(t, session, "permission")
			require.Error(t, err)
			out.add(err)
			rpc, ok := errors.AsType[*acp.Error](err)
			require.True(t, ok)
			out.add(rpc)
			out.add(conn.Noise())
			out.add(conn.StderrTail())
			assertClosed(t, conn)
			out.add(conn.Err())
			assert.NotContains(t, out.text.String(), "SENTINEL")
			assert.Contains(t, out.text.String(), "[redacted]")
		})
	}
}

func TestSecretsOfAFailedStartAreNotShown(t *testing.T) {
	var out seen
	_, err := acp.NewClient(testClient, &acp.ClientOptions{Diagnostic: func(d acp.Diagnostic) { out.add(d) }}).
		Connect(t.Context(), &acp.CommandTransport{
			Command: "sh", Args: []string{"-c", `echo "key $MY_TOKEN"; echo "refused $MY_TOKEN" >&2; exit 3`},
			Env: []string{"PATH=/usr/bin:/bin", "MY_TOKEN=" + sentinel},
		})
	start, ok := errors.AsType[*acp.StartError](err)
	require.True(t, ok, "%v", err)
	out.add(err)
	out.add(start.Stderr)
	out.add(start.Noise)
	assert.NotContains(t, out.text.String(), "SENTINEL")
	assert.Contains(t, start.Stderr, "refused [redacted]")
}

func TestMetaHasNoContent(t *testing.T) {
	for _, tc := range []struct {
		frame string
		want  acp.FrameMeta
	}{
		{
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan","entries":[{"content":"secret"}]}}}`,
			acp.FrameMeta{Kind: "notification", Method: "session/update", Session: "s1", Update: "plan"},
		},
		{
			`{"id":7,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"secret"}]}}`,
			acp.FrameMeta{Kind: "request", ID: "7", Method: "session/prompt", Session: "s1"},
		},
		{`{"id":7,"result":{"text":"secret"}}`, acp.FrameMeta{Kind: "response", ID: "7"}},
		{`{"id":7,"error":{"code":1,"message":"secret"}}`, acp.FrameMeta{Kind: "error", ID: "7"}},
		{`{"id":7}`, acp.FrameMeta{Kind: "response", ID: "7"}},
		{`[{"id":7,"method":"x"}]`, acp.FrameMeta{Kind: "batch"}},
		{`secret`, acp.FrameMeta{Kind: "noise"}},
	} {
		tc.want.Bytes = len(tc.frame)
		tc.want.Dir = acp.FromAgent
		assert.Equal(t, tc.want, (&acp.TapFrame{Dir: acp.FromAgent, Data: []byte(tc.frame)}).Meta())
	}
}

func TestSecretsOfManyLinesAndInJSON(t *testing.T) {
	const pem = "-----BEGIN KEY-----\nMIIEvSENTINELAgEAAoIBAQ\nkSENTINELqhkiG9w0BAQEFAA\n-----END KEY-----\n"
	const odd = `p&ss"SENTINEL1`
	var out seen
	conn, err := acp.NewClient(testClient, &acp.ClientOptions{Diagnostic: func(d acp.Diagnostic) { out.add(d) }}).
		Connect(t.Context(), &acp.CommandTransport{
			Command: "sh", Args: []string{"-c", `echo "$A_KEY" >&2; echo '{"error":"p&ss\"SENTINEL1"}' >&2; IFS= read -r line; echo '{"id":1,"result":{"protocolVersion":1}}'; cat >/dev/null`},
			Env: []string{"PATH=/usr/bin:/bin", "A_KEY=" + pem, "A_PASSWORD=" + odd},
		})
	require.NoError(t, err)
	assertClosed(t, conn)
	out.add(conn.StderrTail())
	assert.NotContains(t, out.text.String(), "SENTINEL")
}
