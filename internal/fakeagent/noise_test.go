package fakeagent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

// output is what the agent writes when it answers two unknown methods, a and b.
func output(t *testing.T, script *fakeagent.Script) string {
	t.Helper()
	var out strings.Builder
	in := `{"jsonrpc":"2.0","id":1,"method":"a"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"b"}` + "\n"
	err := fakeagent.Serve(context.Background(), strings.NewReader(in), &out, &fakeagent.Options{Script: script})
	require.NoError(t, err)
	text := out.String()
	for n, m := range []string{"a", "b"} {
		text = strings.ReplaceAll(text, fmt.Sprintf(
			`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"Method not found: %s"}}`, n+1, m), strings.ToUpper(m))
	}
	return text
}

func TestBytesAroundFrames(t *testing.T) {
	for _, tc := range []struct{ name, script, want string }{
		{"none", `{}`, "A\nB\n"},
		{"start", `{"noise":[{"at":"start","text":"up\n"},{"at":"start","text":"on\n"}]}`, "up\non\nA\nB\n"},
		{"before", `{"noise":[{"at":"before","text":"log\n"}]}`, "log\nA\nlog\nB\n"},
		{"after", `{"noise":[{"at":"after","text":"log\n"}]}`, "A\nlog\nB\nlog\n"},
		{"glued", `{"noise":[{"at":"glued","text":"\u001b]0;x\u0007"}]}`, "\x1b]0;x\aA\n\x1b]0;x\aB\n"},
		{"one method", `{"noise":[{"at":"before","method":"b","text":"log\n"}]}`, "A\nlog\nB\n"},
		{"bytes", `{"noise":[{"at":"before","text":"x","bytes":"/wo="}]}`, "x\xff\nA\nx\xff\nB\n"},
		{"bom", `{"bom":true}`, "\ufeffA\nB\n"},
		{"crlf", `{"crlf":true}`, "A\r\nB\r\n"},
		{"blankLines", `{"blankLines":2}`, "\n\nA\n\n\nB\n"},
		{"crlf and blankLines", `{"crlf":true,"blankLines":1}`, "\r\nA\r\n\r\nB\r\n"},
		{"dupResponse", `{"dupResponse":true}`, "A\nA\nB\nB\n"},
		{"chunk", `{"chunk":3}`, "A\nB\n"},
		{"many", `{"bom":true,"crlf":true,"chunk":1,"noise":[{"at":"glued","method":"a","text":"?"}]}`, "\ufeff?A\r\nB\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			script, err := fakeagent.ParseScript([]byte(tc.script))
			require.NoError(t, err)
			assert.Equal(t, tc.want, output(t, script))
		})
	}
}

func TestNoiseAroundOwnFrames(t *testing.T) {
	c := dial(t, &fakeagent.Script{
		Updates: 2,
		Noise:   []fakeagent.Noise{{At: fakeagent.NoiseAtBefore, Method: "session/update", Text: "[tool] busy\n"}},
	})
	session := c.open()
	_, before := c.prompt(session, "hi", `"result":{}`)
	require.Len(t, before, 4)
	assert.Equal(t, "[tool] busy", before[0].raw)
	assert.Error(t, before[0].err)
	assert.Equal(t, "chunk 0 ", before[1].text())
}

func TestChunk(t *testing.T) {
	c := dial(t, &fakeagent.Script{Chunk: 5})
	c.prompt(c.open(), "长长长", `"result":{}`)
	for _, w := range c.writes.all() {
		assert.LessOrEqual(t, len(w), 5)
	}
}

func TestUpdatesPerWrite(t *testing.T) {
	for per, want := range map[int]int{0: 7, 1: 7, 4: 2, 6: 2, 7: 1, 100: 1} {
		t.Run(fmt.Sprint(per), func(t *testing.T) {
			c := dial(t, &fakeagent.Script{Updates: 6, UpdatesPerWrite: per})
			session := c.open()
			opening := len(c.writes.all())
			f, before := c.prompt(session, "hi", `"result":{}`)
			assert.Equal(t, "end_turn", stopReason(t, f))
			assert.Len(t, before, 6)
			assert.Len(t, c.writes.all(), opening+want)
		})
	}
}

func TestLastFrame(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script fakeagent.Script
		id     string
	}{
		{"prompt", fakeagent.Script{NoNewlineAtEOF: true}, "3"},
		{"initialize", fakeagent.Script{NoNewlineAtEOF: true, ExitAt: fakeagent.ExitAtInitialized}, "1"},
		{"session/new", fakeagent.Script{
			NoNewlineAtEOF: true, ExitAt: fakeagent.ExitAtSessionNew, ExitAfterAnswer: true,
		}, "2"},
		{"cut prompt", fakeagent.Script{TruncateAtEOF: true}, "3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.script.ExitCode = 1
			c := dial(t, &tc.script)
			_, frames := c.conversation(false)
			var exit *fakeagent.ExitError
			require.ErrorAs(t, c.wait(), &exit)
			all := strings.Join(c.writes.all(), "")
			last := frames[len(frames)-1]
			assert.True(t, strings.HasSuffix(all, last.raw))
			if tc.script.TruncateAtEOF {
				assert.Error(t, last.err)
				assert.Contains(t, last.raw, `{"jsonrpc":"2.0","id":3,`)
				return
			}
			require.NoError(t, last.err)
			assert.Equal(t, tc.id, string(last.ID))
		})
	}
}
