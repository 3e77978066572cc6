package fakeagent_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

func TestReplayFaults(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		before       string // said before the answer
		after        string // and after it
	}{
		{"default", `{"updates":3}`, "chunk 0 chunk 1 chunk 2 ", ""},
		{"late", `{"updates":3,"replayLate":2}`, "chunk 0 ", "chunk 1 chunk 2 "},
		{"all late", `{"updates":3,"replayLate":20}`, "", "chunk 0 chunk 1 chunk 2 "},
		{"none", `{"updates":3,"replayNone":true}`, "", ""},
		{"synthetic", `{"updates":3,"replayUpdates":4}`, "replay 0 replay 1 replay 2 replay 3 ", ""},
		{"synthetic and late", `{"replayUpdates":2,"replayLate":1}`, "replay 0 ", "replay 1 "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			script, err := fakeagent.ParseScript([]byte(tc.script))
			require.NoError(t, err)
			c := dial(t, script)
			session := c.open()
			c.prompt(session, "hi", `"result":{}`)
			f, before := c.call("session/load", openParams(session))
			require.Nil(t, f.Error)
			assert.Equal(t, tc.before, said(before))
			assert.Equal(t, tc.after, said(c.commands()))
		})
	}
}

func TestReplayOfManyUpdates(t *testing.T) {
	c := dial(t, &fakeagent.Script{ReplayUpdates: 5000})
	_, replayed := c.load(c.open())
	assert.Len(t, replayed, 5000)
}

func TestOpeningErrors(t *testing.T) {
	script, err := fakeagent.ParseScript([]byte(`{
		"loadError":{"code":-32603,"message":"active in another process (PID 7)","data":{"pid":7}},
		"resumeError":{"code":-32001,"message":"gone"},"closeUnsupported":true}`))
	require.NoError(t, err)
	c := dial(t, script)
	session := c.open()
	f, before := c.call("session/load", openParams(session))
	assert.Empty(t, before)
	require.EqualError(t, f.Error, "active in another process (PID 7) (-32603)")
	assert.JSONEq(t, `{"pid":7}`, string(f.Error.Data))
	f, _ = c.call("session/resume", openParams(session))
	require.EqualError(t, f.Error, "gone (-32001)")
	f, _ = c.call("session/close", ofSession(session))
	require.NotNil(t, f.Error)
	assert.Equal(t, -32601, f.Error.Code)
	f, _ = c.prompt(session, "hi", `"result":{}`)
	assert.Equal(t, "end_turn", stopReason(t, f), "nothing was closed")
}

func TestLoadOnce(t *testing.T) {
	c := dial(t, &fakeagent.Script{LoadOnce: true})
	session := c.open()
	for _, method := range []string{"session/load", "session/resume"} {
		f, _ := c.call(method, openParams(session))
		require.EqualError(t, f.Error, "Session already loaded: "+session+" (-32602)")
	}
	c.call("session/close", ofSession(session))
	f, _ := c.load(session)
	assert.Nil(t, f.Error)
}

func TestLoadSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, &fakeagent.Script{LoadSilent: true})
		session := c.open()
		c.prompt(session, "hi", `"result":{}`)
		c.request("session/load", openParams(session))
		<-time.After(time.Hour)
		assert.Empty(t, c.lines)
		f, _ := c.call("session/resume", openParams(session))
		assert.Nil(t, f.Error)
	})
}

func TestNewDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, &fakeagent.Script{NewDelay: fakeagent.Duration(10 * time.Second)})
		begin := time.Now()
		id := c.request("session/new", newParams)
		f, before := c.call("session/list", `{}`)
		assert.Empty(t, before, "others do not wait")
		assert.JSONEq(t, `{"sessions":[]}`, string(f.Result))
		c.until(answers(id))
		assert.Equal(t, 10*time.Second, time.Since(begin))
		c.request("session/new", newParams)
		require.NoError(t, c.conn.Close())
		require.NoError(t, c.wait())
		assert.Equal(t, 10*time.Second, time.Since(begin), "the end of the input does not wait either")
	})
}
