package fakeagent_test

import (
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

func TestCancel(t *testing.T) {
	for _, tc := range []struct {
		mode  fakeagent.CancelMode
		stop  string
		after time.Duration
		said  string // after the cancel
	}{
		{"", "cancelled", 0, ""},
		{fakeagent.CancelHonour, "cancelled", 0, ""},
		{fakeagent.CancelEndTurn, "end_turn", 0, ""},
		{fakeagent.CancelLate, "cancelled", 2 * time.Second, "after cancel "},
		{fakeagent.CancelIgnore, "end_turn", 5 * time.Second, "chunk 1 chunk 2 "},
	} {
		t.Run(string(tc.mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := dial(t, &fakeagent.Script{
					Cancel: tc.mode, CancelDelay: fakeagent.Duration(2 * time.Second), Updates: 3,
					UpdateDelay: fakeagent.Duration(3 * time.Second),
				})
				session := c.open()
				id := c.request("session/prompt", promptParams(session, "hi"))
				c.until(says("chunk 0 "))
				<-time.After(time.Second) // in the bubble's time
				begin := time.Now()
				c.cancel("another session")
				c.cancel(session)
				c.cancel(session)
				all := c.until(answers(id))
				assert.Equal(t, tc.stop, stopReason(t, all[len(all)-1]))
				assert.Equal(t, tc.after, time.Since(begin))
				assert.Equal(t, tc.said, said(all))
				c.cancel(session)
				if tc.mode != fakeagent.CancelIgnore {
					c.request("session/prompt", promptParams(session, "hi"))
					assert.Equal(t, "chunk 0 ", c.until(says("chunk"))[0].text(), "the session goes on")
				}
			})
		})
	}
}

func TestCancelDelayDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, &fakeagent.Script{Cancel: fakeagent.CancelLate, NeverEnd: true})
		session := c.open()
		id := c.request("session/prompt", promptParams(session, "hi"))
		synctest.Wait()
		begin := time.Now()
		c.cancel(session)
		c.until(answers(id))
		assert.Equal(t, 200*time.Millisecond, time.Since(begin))
	})
}

func TestNeverEnd(t *testing.T) {
	for _, mode := range []fakeagent.CancelMode{fakeagent.CancelHonour, fakeagent.CancelIgnore} {
		t.Run(string(mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := dial(t, &fakeagent.Script{NeverEnd: true, Updates: 2, UpdatesPerWrite: 10, Cancel: mode})
				session := c.open()
				id := c.request("session/prompt", promptParams(session, "hi"))
				assert.Equal(t, "chunk 0 ", c.must().text())
				assert.Equal(t, "chunk 1 ", c.must().text())
				<-time.After(time.Hour)
				assert.Empty(t, c.lines)
				c.cancel(session)
				synctest.Wait()
				if mode == fakeagent.CancelIgnore {
					assert.Empty(t, c.lines)
					return
				}
				assert.Equal(t, "cancelled", stopReason(t, c.until(answers(id))[0]))
			})
		})
	}
}

func TestCloseDoesNotWaitForALateCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, &fakeagent.Script{Cancel: fakeagent.CancelLate, PermissionAfterCancel: 1, NeverEnd: true, Empty: true})
		session := c.open()
		c.request("session/prompt", promptParams(session, "hi"))
		begin := time.Now()
		_, before := c.call("session/close", fmt.Sprintf(`{"sessionId":%q}`, session))
		require.Len(t, before, 1, "the turn's answer")
		assert.Equal(t, "cancelled", stopReason(t, before[0]))
		assert.Zero(t, time.Since(begin))
	})
}

func TestCancelOfARequest(t *testing.T) {
	c := dial(t, &fakeagent.Script{NeverEnd: true, Updates: 1})
	id := c.request("session/prompt", promptParams(c.open(), "hi"))
	c.until(says("chunk 0 "))
	c.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`, id)
	assert.Equal(t, "cancelled", stopReason(t, c.until(answers(id))[0]))
}

func TestCancelInTheSameWriteAsThePrompt(t *testing.T) {
	c := dial(t, &fakeagent.Script{NeverEnd: true})
	session := c.open()
	_, err := fmt.Fprintf(c.conn, `{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":%s}`+"\n"+
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", promptParams(session, "hi"), session)
	require.NoError(t, err)
	all := c.until(answers(`"p"`))
	assert.Equal(t, "cancelled", stopReason(t, all[len(all)-1]))
}

func TestIgnoreStdinEOF(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, in := io.Pipe()
		agent := serve(t, r, io.Discard, &fakeagent.Script{IgnoreStdinEOF: true})
		require.NoError(t, in.Close())
		<-time.After(time.Hour)
		assert.Empty(t, agent.result)
		agent.cancel()
		assert.Error(t, <-agent.result)
	})
}

func TestStopReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, in := io.Pipe()
		agent := serve(t, r, io.Discard, &fakeagent.Script{StopReading: "session/new"})
		_, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+initParams+"}\n")
		require.NoError(t, err)
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":2,"method":"session/new","params":`+newParams+"}\n")
		require.NoError(t, err)
		blocked := make(chan error, 1)
		go func() {
			_, err := io.WriteString(in, `{"jsonrpc":"2.0","id":3,"method":"x"}`+"\n")
			blocked <- err
		}()
		<-time.After(time.Hour)
		assert.Empty(t, blocked)
		agent.cancel()
		assert.Error(t, <-agent.result)
		assert.Error(t, <-blocked)
	})
}
