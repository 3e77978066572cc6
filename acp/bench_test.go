package acp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

// benchUpdates returns the lines of n updates in the mix of an ordinary turn.
func benchUpdates(n int, session string) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(`the agent reads a file and writes "another" one while tests run in a shell naïve façade größer 日本語 line\nbreak tab\t done so far with many small steps`)
	text := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[rng.IntN(len(words))]
		}
		encoded, _ := json.Marshal(strings.Join(out, " ") + " ")
		return string(encoded)
	}
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":`, session)
		switch k := rng.IntN(100); {
		case k < 70:
			fmt.Fprintf(&b, `{"sessionUpdate":"agent_message_chunk","messageId":"msg_22cbbfac1001cXMbUl3ohYyoio","content":{"type":"text","text":%s}}`, text(6))
		case k < 85:
			fmt.Fprintf(&b, `{"sessionUpdate":"agent_thought_chunk","messageId":"msg_22cbbfac1001cXMbUl3ohYyoio","content":{"type":"text","text":%s}}`, text(12))
		case k < 90:
			fmt.Fprintf(&b, `{"sessionUpdate":"tool_call","toolCallId":"call_%d","title":"Read main.go","kind":"read","status":"pending","locations":[{"path":"/home/me/project/main.go"}],"rawInput":{"path":"/home/me/project/main.go"}}`, i)
		case k < 95:
			fmt.Fprintf(&b, `{"sessionUpdate":"tool_call_update","toolCallId":"call_%d","status":"completed","content":[{"type":"content","content":{"type":"text","text":%s}}]}`, i, text(120))
		default:
			fmt.Fprintf(&b, `{"sessionUpdate":"plan","entries":[{"content":"Look around","priority":"medium","status":"completed"},{"content":"Answer","priority":"high","status":"pending"}]}`)
		}
		b.WriteString("}}\n")
	}
	return b.Bytes()
}

// replay is an agent whose turn is bytes that were prepared before.
type replay struct {
	io.Reader
	out   *io.PipeWriter
	turn  []byte
	begun chan struct{}
}

func newReplay(turn []byte) *acp.IOTransport {
	r, w := io.Pipe()
	in := &replay{Reader: r, out: w, turn: turn, begun: make(chan struct{})}
	return &acp.IOTransport{Reader: in, Writer: in}
}

// Write takes one frame of the client and answers it.
func (a *replay) Write(frame []byte) (int, error) {
	var req struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal(frame, &req); err != nil {
		return 0, err
	}
	go func() {
		switch req.Method {
		case "initialize":
			fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}`+"\n", req.ID)
		case "session/new":
			fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"bench-session"}}`+"\n", req.ID)
		case "session/prompt":
			_, _ = a.out.Write(a.turn)
			fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`+"\n", req.ID)
		}
	}()
	return len(frame), nil
}

func (a *replay) Close() error { return a.out.Close() }

func BenchmarkUpdates(b *testing.B) {
	const n = 50000
	turn := benchUpdates(n, "bench-session")
	b.Run("acp", func(b *testing.B) {
		conn, err := acp.NewClient(testClient, nil).Connect(b.Context(), newReplay(turn))
		require.NoError(b, err)
		defer conn.Close(b.Context())
		session, err := conn.NewSession(b.Context(), "/", nil)
		require.NoError(b, err)
		b.ReportAllocs()
		b.SetBytes(int64(len(turn)))
		for b.Loop() {
			t, err := session.Prompt(b.Context(), acp.Text("go"), nil)
			require.NoError(b, err)
			seen := 0
			for range t.Updates() {
				seen++
			}
			require.Equal(b, n, seen)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/update")
	})
	b.Run("valid", func(b *testing.B) {
		lines := bytes.Split(bytes.TrimSuffix(turn, []byte("\n")), []byte("\n"))
		b.SetBytes(int64(len(turn)))
		for b.Loop() {
			for _, line := range lines {
				if !json.Valid(line) {
					b.Fatal("invalid")
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/update")
	})
}
