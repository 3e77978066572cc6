package fakeagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

func selected(id string) string {
	return fmt.Sprintf(`"result":{"outcome":{"outcome":"selected","optionId":%q}}`, id)
}

func TestPermissionOutcomes(t *testing.T) {
	for _, tc := range []struct{ name, options, reply, want, edit string }{
		{"allow once", ``, selected("opt-7"), "allowed (allow_once)", "completed"},
		{"allow always", ``, selected("opt-3"), "allowed (allow_always)", "completed"},
		{"reject", ``, selected("opt-9"), "rejected (reject_once)", "failed"},
		{"cancelled", ``, `"result":{"outcome":{"outcome":"cancelled"}}`, "cancelled", "failed"},
		{"error", ``, `"error":{"code":-32601,"message":"no"}`, "error -32601", "failed"},
		{"kind instead of id", ``, selected("allow_once"), `invalid option "allow_once"`, "failed"},
		{"other outcome", ``, `"result":{"outcome":{"outcome":"maybe"}}`, `invalid outcome "maybe"`, "failed"},
		{"no object", ``, `"result":"yes"`, "invalid answer", "failed"},
		{
			"own options", `[{"optionId":"a","name":"A","kind":"allow_persistent"}]`, selected("a"),
			`selected an option of kind "allow_persistent"`, "failed",
		},
		{"no list of options", `7`, selected("a"), `invalid option "a"`, "failed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			script := &fakeagent.Script{}
			if tc.options != "" {
				script.PermissionOptions = json.RawMessage(tc.options)
			}
			c := dial(t, script)
			f, before := c.prompt(c.open(), "Permission, please", tc.reply)
			assert.Equal(t, "end_turn", stopReason(t, f))
			assert.Contains(t, said(before), note+" Permission: "+tc.want+".")
			var asked, card, done *frame
			for i, b := range before {
				switch {
				case b.Method == "session/request_permission":
					asked = &before[i]
				case b.Params.Update.Kind == "edit":
					card = &before[i]
				case card != nil && b.Params.Update.ToolCallID == card.Params.Update.ToolCallID:
					done = &before[i]
				}
			}
			require.NotNil(t, asked)
			require.NotNil(t, card)
			require.NotNil(t, done)
			assert.Equal(t, card.Params.Update.ToolCallID, asked.Params.ToolCall.ToolCallID)
			assert.Equal(t, tc.edit, done.Params.Update.Status)
			if tc.options != "" {
				assert.Contains(t, asked.raw, `"options":`+tc.options)
				return
			}
			require.Len(t, asked.Params.Options, 3)
			assert.Equal(t, "allow_once", asked.Params.Options[0].Kind)
		})
	}
}

func TestPermissionParallelInAnotherSession(t *testing.T) {
	c := dial(t, &fakeagent.Script{
		PermissionOn: fakeagent.PermissionOnPrompt, PermissionParallel: 2, PermissionSession: "child-1", Updates: 1,
	})
	id := c.request("session/prompt", promptParams(c.open(), "hi"))
	isCall := calls("session/request_permission")
	var open []frame
	for len(open) < 2 {
		if f := c.must(); isCall(f) {
			assert.Equal(t, "child-1", f.Params.SessionID)
			open = append(open, f)
		}
	}
	assert.NotEqual(t, open[0].Params.ToolCall.ToolCallID, open[1].Params.ToolCall.ToolCallID)
	c.send(`{"jsonrpc":"2.0","id":%s,%s}`, open[1].ID, selected("opt-9"))
	c.send(`{"jsonrpc":"2.0","id":%s,%s}`, open[0].ID, selected("opt-7"))
	assert.Contains(t, said(c.until(answers(id))), "Permission: allowed (allow_once), rejected (reject_once).")
}

func TestCancelDoesNotWaitForPermission(t *testing.T) {
	c := dial(t, nil)
	session := c.open()
	id := c.request("session/prompt", promptParams(session, "permission"))
	asked := c.until(calls("session/request_permission"))
	c.cancel(session)
	all := c.until(answers(id))
	assert.Equal(t, "cancelled", stopReason(t, all[len(all)-1]))
	assert.Equal(t, "failed", all[0].Params.Update.Status, "the edit is closed")
	c.send(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"cancelled"}}}`, asked[len(asked)-1].ID)
	f, _ := c.call("_x", `{}`)
	assert.Equal(t, -32601, f.Error.Code)
	assert.Equal(t, "session/request_permission", c.journal(fakeagent.EventResponse)[0].Method)
}

func TestPermissionAfterCancel(t *testing.T) {
	c := dial(t, &fakeagent.Script{PermissionAfterCancel: 2, NeverEnd: true, Updates: 1})
	session := c.open()
	id := c.request("session/prompt", promptParams(session, "hi"))
	c.until(says("chunk 0 "))
	c.cancel(session)
	for range 2 {
		asked := c.until(calls("session/request_permission"))
		c.send(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"cancelled"}}}`, asked[len(asked)-1].ID)
	}
	all := c.until(answers(id))
	assert.Equal(t, "cancelled", stopReason(t, all[len(all)-1]))
	assert.Len(t, c.journal(fakeagent.EventResponse), 2)
}

func TestPermissionAfterCancelDoesNotOutliveTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, in := io.Pipe()
		out, w := io.Pipe()
		agent := serve(t, r, w, &fakeagent.Script{PermissionAfterCancel: 1, NeverEnd: true, Empty: true})
		c := &client{t: t, conn: nil, lines: make(chan frame, 100)}
		read := make(chan struct{})
		go func() {
			defer close(read)
			defer close(c.lines)
			dec := json.NewDecoder(out)
			for {
				var raw json.RawMessage
				if dec.Decode(&raw) != nil {
					return
				}
				c.lines <- parse(string(raw))
			}
		}()
		write := func(format string, args ...any) {
			_, err := fmt.Fprintf(in, format+"\n", args...)
			require.NoError(t, err)
		}
		write(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":%s}`, newParams)
		var r1 struct{ SessionID string }
		require.NoError(t, json.Unmarshal(c.must().Result, &r1))
		write(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":%s}`, promptParams(r1.SessionID, "hi"))
		write(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, r1.SessionID)
		c.until(calls("session/request_permission"))
		require.NoError(t, in.Close())
		assert.Equal(t, "cancelled", stopReason(t, c.until(answers("2"))[0]))
		assert.NoError(t, <-agent.result)
		require.NoError(t, w.Close())
		<-read
	})
}

// served is an agent on streams of the test's own.
type served struct {
	cancel context.CancelFunc
	result chan error
}

func serve(t *testing.T, r io.Reader, w io.Writer, script *fakeagent.Script) *served {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 24*time.Hour)
	a := &served{cancel: cancel, result: make(chan error, 1)}
	go func() { a.result <- fakeagent.Serve(ctx, r, w, &fakeagent.Options{Script: script}) }()
	t.Cleanup(cancel)
	return a
}
