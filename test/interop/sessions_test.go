package interop_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

// stored opens a session and closes it, so that the agent has it stored.
func stored(t *testing.T, p *peer) acp.SessionID {
	t.Helper()
	s, err := p.conn.NewSession(within(t), p.cwd, nil)
	require.NoError(t, err)
	require.NoError(t, s.Set(within(t), "model", "big"))
	require.NoError(t, s.Close(within(t)))
	return s.ID()
}

func reopens(t *testing.T, p *peer) {
	t.Helper()
	id := stored(t, p)

	s, err := p.conn.LoadSession(within(t), id, p.cwd, everything(t, acp.SystemPromptOverride))
	require.NoError(t, err)
	assert.Equal(t, acp.OriginLoaded, s.Origin())
	assert.Equal(t, 2, s.Replayed())
	hasSettings(t, s, "ask", "big", true)
	var history []acp.Update
	for n := range s.Updates() {
		assert.True(t, n.Replayed)
		assert.Empty(t, n.Warnings)
		history = append(history, n.Update)
		if len(history) == 2 {
			break
		}
	}
	assert.Equal(t, []acp.Update{
		&acp.UserMessageChunk{MessageID: "question", Content: &acp.TextContent{Text: "question"}},
		&acp.AgentMessageChunk{MessageID: "answer", Content: &acp.TextContent{Text: "answer"}},
	}, history)
	require.NoError(t, s.Close(within(t)))

	s, err = p.conn.ResumeSession(within(t), id, p.cwd, everything(t, acp.SystemPromptAppend))
	require.NoError(t, err)
	assert.Equal(t, acp.OriginResumed, s.Origin())
	hasSettings(t, s, "ask", "big", true)

	forked, err := s.Fork(within(t), everything(t, acp.SystemPromptAppend))
	require.NoError(t, err)
	assert.Equal(t, acp.OriginForked, forked.Origin())
	assert.NotEqual(t, id, forked.ID())
	hasSettings(t, forked, "ask", "big", true)
	require.NoError(t, forked.Close(within(t)))
	require.NoError(t, s.Close(within(t)))
}

// listed returns the sessions that the agent lists.
func listed(t *testing.T, p *peer, opts *acp.ListOptions) (ids []acp.SessionID, infos map[acp.SessionID]acp.SessionInfo) {
	t.Helper()
	infos = map[acp.SessionID]acp.SessionInfo{}
	for info, err := range p.conn.Sessions(within(t), opts) {
		require.NoError(t, err)
		ids = append(ids, info.ID)
		info.Raw = nil
		infos[info.ID] = info
	}
	return ids, infos
}

func lists(t *testing.T, p *peer) {
	t.Helper()
	elsewhere := t.TempDir()
	s, err := p.conn.NewSession(within(t), elsewhere, &acp.SessionOptions{AdditionalDirectories: []string{p.cwd}})
	require.NoError(t, err)
	all, infos := listed(t, p, nil)
	assert.Greater(t, len(all), 2, "each is a page")
	assert.Equal(t, acp.SessionInfo{
		ID: s.ID(), CWD: elsewhere, AdditionalDirectories: []string{p.cwd}, Title: "A talk", UpdatedAt: "2026-11-30T12:00:00Z",
	}, infos[s.ID()])
	there, _ := listed(t, p, &acp.ListOptions{CWD: elsewhere})
	assert.Equal(t, []acp.SessionID{s.ID()}, there)
	require.NoError(t, s.Close(within(t)))
}

func keeps(t *testing.T, p *peer) {
	t.Helper()
	id := stored(t, p)
	status, err := p.conn.SessionStatus(within(t), id)
	require.NoError(t, err)
	assert.Equal(t, acp.SessionStatusSaved, status)
	status, err = p.conn.SessionStatus(within(t), p.session.ID())
	require.NoError(t, err)
	assert.Equal(t, acp.SessionStatusOpen, status)

	title, err := p.conn.SetSessionTitle(within(t), id, " A longer talk ")
	require.NoError(t, err)
	assert.Equal(t, "A longer talk", title)

	for _, step := range []struct {
		do       func() error
		archived bool
	}{
		{func() error { return p.conn.ArchiveSession(within(t), id) }, true},
		{func() error { return p.conn.UnarchiveSession(within(t), id) }, false},
	} {
		require.NoError(t, step.do())
		for filter, want := range map[acp.ArchiveFilter]bool{
			acp.ArchiveOnly: step.archived, acp.ArchiveExclude: !step.archived, acp.ArchiveInclude: true,
		} {
			ids, infos := listed(t, p, &acp.ListOptions{Archived: filter})
			if want {
				assert.Contains(t, ids, id, filter)
				assert.Equal(t, step.archived, infos[id].Archived)
				assert.Equal(t, "A longer talk", infos[id].Title)
			} else {
				assert.NotContains(t, ids, id, filter)
			}
		}
	}
}

func ends(t *testing.T, p *peer) {
	t.Helper()
	id := stored(t, p)
	require.NoError(t, p.conn.CloseSession(within(t), id), "also one that is not open here")
	require.NoError(t, p.conn.CloseSession(within(t), "session-0"), "one that there is not is closed")
	require.NoError(t, p.conn.DeleteSession(within(t), id))
	require.NoError(t, p.conn.DeleteSession(within(t), id), "it is deleted")
	_, err := p.conn.SessionStatus(within(t), id)
	rpc := &acp.Error{}
	require.ErrorAs(t, err, &rpc)
	assert.Equal(t, acp.CodeNotFound, rpc.Code)
}
