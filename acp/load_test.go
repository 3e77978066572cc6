package acp_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

// told opens a session and says something in it.
func told(t *testing.T, conn *acp.Conn, prompts ...string) *acp.Session {
	t.Helper()
	session, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	for _, prompt := range prompts {
		_, _, err := play(t, session, prompt)
		require.NoError(t, err)
	}
	return session
}

// restarted is a new agent with the sessions of one that has ended.
func restarted(t *testing.T, script *acptest.Script, prompts ...string) (*acp.Conn, acp.SessionID) {
	t.Helper()
	store := t.TempDir()
	first, _ := connect(t, &acptest.Script{Store: store}, nil)
	id := told(t, first, prompts...).ID()
	assertClosed(t, first)
	script.Store = store
	conn, _ := connect(t, script, nil)
	return conn, id
}

func TestLoadReplaysTheHistory_R32_acpx38(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script acptest.Script
	}{
		{"before the answer", acptest.Script{}},
		{"some after the answer", acptest.Script{ReplayLate: 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, id := restarted(t, &tc.script, "first", "second")
			session, err := conn.LoadSession(t.Context(), id, "/", nil)
			require.NoError(t, err)
			assert.Equal(t, acp.OriginLoaded, session.Origin())
			assert.Equal(t, id, session.ID())
			require.NotNil(t, session.Modes())
			updates := session.Updates()
			_, _, err = play(t, session, "recall")
			require.NoError(t, err)
			require.NoError(t, session.Close(t.Context()))
			var replayed, live string
			count := 0
			for n := range updates {
				chunk, ok := n.Update.(*acp.AgentMessageChunk)
				switch {
				case n.Replayed:
					count++
					assert.True(t, n.Late)
					assert.False(t, n.Unsolicited)
				case ok:
					live += chunk.Content.(*acp.TextContent).Text
				}
				if n.Replayed && ok {
					replayed += chunk.Content.(*acp.TextContent).Text
				}
			}
			assert.Contains(t, replayed, "You said: first")
			assert.Contains(t, replayed, "You said: second")
			assert.Contains(t, live, "history: 2 prompts: first | second", "the agent has it, and it is not shown again")
			assert.NotContains(t, live, "You said: first")
			assert.Equal(t, count, session.Replayed())
		})
	}
}

func TestReplayThatIsNotWanted_R32(t *testing.T) {
	conn, id := restarted(t, &acptest.Script{}, "first")
	session, err := conn.LoadSession(t.Context(), id, "/", &acp.SessionOptions{Replay: acp.ReplayDrop})
	require.NoError(t, err)
	assert.Positive(t, session.Replayed())
	updates := session.Updates()
	require.NoError(t, session.Close(t.Context()))
	for n := range updates {
		assert.False(t, n.Replayed)
	}
}

func TestBurstOfReplaySurvives_gosdk40(t *testing.T) {
	conn, id := restarted(t, &acptest.Script{ReplayUpdates: 10_000}, "first")
	session, err := conn.LoadSession(t.Context(), id, "/", nil)
	require.NoError(t, err)
	assert.Equal(t, 10_000, session.Replayed())
	updates := session.Updates()
	require.NoError(t, session.Close(t.Context()))
	count := 0
	for n := range updates {
		if n.Replayed {
			count++
		}
	}
	assert.Equal(t, 10_000, count)
}

func TestAgentThatReplaysNothing_hermesagent26957(t *testing.T) {
	conn, id := restarted(t, &acptest.Script{ReplayNone: true}, "first")
	session, err := conn.LoadSession(t.Context(), id, "/", nil)
	require.NoError(t, err)
	assert.Zero(t, session.Replayed())
	updates, _, err := play(t, session, "recall")
	require.NoError(t, err)
	assert.Contains(t, answer(updates), "1 prompts: first")
}

func TestResumeReplaysNothing(t *testing.T) {
	conn, id := restarted(t, &acptest.Script{}, "first")
	session, err := conn.ResumeSession(t.Context(), id, "/", nil)
	require.NoError(t, err)
	assert.Equal(t, acp.OriginResumed, session.Origin())
	assert.Zero(t, session.Replayed())
	updates, _, err := play(t, session, "recall")
	require.NoError(t, err)
	assert.Contains(t, answer(updates), "1 prompts: first")
}

func TestFork(t *testing.T) {
	conn, agent := connect(t, &acptest.Script{}, nil)
	session := told(t, conn, "first")
	forked, err := session.Fork(t.Context(), nil)
	require.NoError(t, err)
	assert.NotEqual(t, session.ID(), forked.ID())
	assert.Equal(t, acp.OriginForked, forked.Origin())
	received := agent.Received()
	assert.JSONEq(t, `{"sessionId":"`+string(session.ID())+`","cwd":"/","mcpServers":[]}`, string(received[len(received)-1].Params))
	_, _, err = play(t, forked, "only in the fork")
	require.NoError(t, err)
	updates, _, err := play(t, session, "recall")
	require.NoError(t, err)
	assert.Contains(t, answer(updates), "1 prompts: first")
}

func TestLoadErrors_R31(t *testing.T) {
	rpc := func(code int, message, data string) *acptest.Script {
		return &acptest.Script{LoadError: &acptest.RPCError{Code: code, Message: message, Data: json.RawMessage(data)}}
	}
	for _, tc := range []struct {
		name   string
		script *acptest.Script
		kind   acp.LoadErrorKind
		pid    int
	}{
		{"by its code", rpc(-32002, "x", `null`), acp.LoadNotFound, 0},
		{"by its words, acpx#121", rpc(-32603, "Internal error", `{"details":"Session not found"}`), acp.LoadNotFound, 0},
		{"by its words, gemini", rpc(-32603, "No previous sessions found for this project", `null`), acp.LoadNotFound, 0},
		{"locked, Kiro#10666", rpc(-32603, "Internal error", `"Session is active in another process (PID 4711)"`), acp.LoadLocked, 4711},
		{"locked without a pid", rpc(-32603, "session is locked", `null`), acp.LoadLocked, 0},
		{"auth", rpc(-32000, "Authentication required", `null`), acp.LoadAuth, 0},
		{"method missing", rpc(-32601, "Method not found", `null`), acp.LoadUnsupported, 0},
		{"anything else, openclaw#109270", rpc(-32603, "Internal error", `"model X not available"`), acp.LoadFailed, 0},
		{"not advertised", &acptest.Script{Capabilities: json.RawMessage(`{}`)}, acp.LoadUnsupported, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, agent := connect(t, tc.script, nil)
			before := len(agent.Received())
			_, err := conn.LoadSession(t.Context(), "s-1", "/", nil)
			load, ok := errors.AsType[*acp.LoadError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, tc.kind, load.Kind)
			assert.Equal(t, tc.pid, load.PID)
			assert.Equal(t, acp.SessionID("s-1"), load.SessionID)
			if tc.script.LoadError != nil {
				assert.ErrorContains(t, err, tc.script.LoadError.Message, "the agent's own words")
			} else {
				require.ErrorIs(t, err, acp.ErrUnsupported)
				assert.Len(t, agent.Received(), before, "nothing was sent (R29)")
			}
			_, err = conn.NewSession(t.Context(), "/", nil)
			require.NoError(t, err, "the connection is as good as before")
		})
	}
}

func TestLoadThatIsNeverAnswered_Kiro6753(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _ := connect(t, &acptest.Script{LoadSilent: true}, &acp.ClientOptions{Timeouts: acp.Timeouts{NewSession: time.Minute}})
		began := time.Now()
		_, err := conn.LoadSession(t.Context(), "s-1", "/", nil)
		load, ok := errors.AsType[*acp.LoadError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, acp.LoadSilent, load.Kind)
		assert.Equal(t, time.Minute, time.Since(began))
	})
}

func TestOpenSessionIsNotLoadedAgain_R33(t *testing.T) {
	conn, agent := connect(t, nil, nil)
	session := told(t, conn, "first")
	before := len(agent.Received())
	for _, open := range []func() (*acp.Session, error){
		func() (*acp.Session, error) { return conn.LoadSession(t.Context(), session.ID(), "/", nil) },
		func() (*acp.Session, error) { return conn.ResumeSession(t.Context(), session.ID(), "/", nil) },
	} {
		_, err := open()
		require.ErrorIs(t, err, acp.ErrSessionOpen)
	}
	assert.Len(t, agent.Received(), before)
	_, _, err := play(t, session, "second")
	require.NoError(t, err, "it is as it was")
	require.NoError(t, session.Close(t.Context()))
	again, err := conn.LoadSession(t.Context(), session.ID(), "/", nil)
	require.NoError(t, err, "once it is closed it can be")
	updates, _, err := play(t, again, "recall")
	require.NoError(t, err)
	assert.Contains(t, answer(updates), "2 prompts")
}

func TestRestore_R31_vscodeacp15(t *testing.T) {
	refused := &acptest.RPCError{Code: -32603, Message: "no"}
	locked := &acptest.RPCError{Code: -32603, Message: "active in another process (PID 1)"}
	for _, tc := range []struct {
		name   string
		script acptest.Script
		orNew  bool
		origin acp.SessionOrigin // empty for an error
		failed []acp.LoadErrorKind
	}{
		{"resume", acptest.Script{}, false, acp.OriginResumed, nil},
		{"load where resume fails", acptest.Script{ResumeError: refused}, false, acp.OriginLoaded, []acp.LoadErrorKind{acp.LoadFailed}},
		{"load where resume is not advertised", acptest.Script{Capabilities: json.RawMessage(`{"loadSession":true}`)}, false, acp.OriginLoaded, []acp.LoadErrorKind{acp.LoadUnsupported}},
		{"nothing works", acptest.Script{ResumeError: refused, LoadError: refused}, false, "", []acp.LoadErrorKind{acp.LoadFailed, acp.LoadFailed}},
		{"new, as asked for", acptest.Script{ResumeError: refused, LoadError: refused}, true, acp.OriginNew, []acp.LoadErrorKind{acp.LoadFailed, acp.LoadFailed}},
		{"locked: no other try", acptest.Script{ResumeError: locked}, true, "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, id := restarted(t, &tc.script, "first")
			session, how, err := conn.RestoreSession(t.Context(), id, "/", &acp.RestoreOptions{OrNew: tc.orNew})
			var kinds []acp.LoadErrorKind
			for _, failed := range how.Failed {
				kinds = append(kinds, failed.Kind)
			}
			assert.Equal(t, tc.failed, kinds)
			if tc.origin == "" {
				_, ok := errors.AsType[*acp.LoadError](err)
				require.True(t, ok, "%v", err)
				assert.Nil(t, session)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.origin, how.Origin)
			assert.Equal(t, tc.origin, session.Origin())
			assert.Equal(t, tc.origin == acp.OriginNew, how.HistoryLost)
			updates, _, err := play(t, session, "recall")
			require.NoError(t, err)
			if how.HistoryLost {
				assert.Contains(t, answer(updates), "0 prompts")
			} else {
				assert.Contains(t, answer(updates), "1 prompts: first")
			}
		})
	}
}

func TestSessionsAreListedPageByPage(t *testing.T) {
	conn, agent := connect(t, &acptest.Script{PageSize: 2}, nil)
	var want []acp.SessionID
	for range 5 {
		want = append(want, told(t, conn, "x").ID())
	}
	var got []acp.SessionID
	for info, err := range conn.Sessions(t.Context(), nil) {
		require.NoError(t, err)
		assert.Equal(t, "/", info.CWD)
		assert.NotEmpty(t, info.Raw)
		got = append(got, info.ID)
	}
	assert.ElementsMatch(t, want, got)
	before := len(agent.Received())
	for _, err := range conn.Sessions(t.Context(), nil) {
		require.NoError(t, err)
		break
	}
	assert.Len(t, agent.Received(), before+1, "a page that nobody wants is not asked for")
	for info, err := range conn.Sessions(t.Context(), &acp.ListOptions{CWD: filepath.Join("/", "elsewhere")}) {
		t.Error("no session is there", info, err)
	}
}

func TestDeleteAndCloseByID_R35(t *testing.T) {
	conn, _ := connect(t, nil, nil)
	session := told(t, conn, "x")
	require.NoError(t, conn.DeleteSession(t.Context(), session.ID()))
	require.NoError(t, conn.DeleteSession(t.Context(), session.ID()), "what is not there is deleted")
	_, err := session.Prompt(t.Context(), acp.Text("x"), nil)
	require.ErrorIs(t, err, acp.ErrSessionClosed)
	for _, err := range conn.Sessions(t.Context(), nil) {
		require.NoError(t, err)
		t.Error("it is gone")
	}
	other := told(t, conn, "x")
	require.NoError(t, conn.CloseSession(t.Context(), other.ID()))
	require.NoError(t, conn.CloseSession(t.Context(), other.ID()))
	require.NoError(t, other.Close(t.Context()))

	bare, agent := connect(t, &acptest.Script{Capabilities: json.RawMessage(`{}`)}, nil)
	before := len(agent.Received())
	require.ErrorIs(t, bare.DeleteSession(t.Context(), "x"), acp.ErrUnsupported)
	require.ErrorIs(t, bare.CloseSession(t.Context(), "x"), acp.ErrUnsupported)
	for _, err := range bare.Sessions(t.Context(), nil) {
		require.ErrorIs(t, err, acp.ErrUnsupported)
	}
	session, err = bare.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	_, err = session.Fork(t.Context(), nil)
	require.ErrorIs(t, err, acp.ErrUnsupported)
	assert.Len(t, agent.Received(), before+1)
}

// A session that is given up while the agent works on it is closed when its late answer comes.
func TestLateSessionIsTornDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, agent := connect(t, &acptest.Script{NewDelay: acptest.Duration(time.Minute)}, &acp.ClientOptions{Timeouts: acp.Timeouts{NewSession: time.Second}})
		_, err := conn.NewSession(t.Context(), "/", nil)
		require.Error(t, err)
		<-time.After(2 * time.Minute) // of the bubble
		synctest.Wait()
		received := agent.Received()
		assert.Equal(t, "session/close", received[len(received)-1].Method)
	})
}
