package acp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

func TestChildSessions_R46(t *testing.T) {
	conn, agent := connect(t, &acptest.Script{Child: "child-1"}, &acp.ClientOptions{Subagents: true})
	assert.Contains(t, string(agent.Received()[0].Params), `"subagents":{}`)
	parent, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	updates, result, err := play(t, parent, "x")
	require.NoError(t, err)
	assert.Equal(t, acp.OutcomeCompleted, result.Outcome)
	var states []string
	for _, n := range updates {
		assert.Equal(t, parent.ID(), n.SessionID, "what a child says is in its own stream")
		if u, ok := n.Update.(*acp.SubagentUpdate); ok {
			assert.Equal(t, acp.SessionID("child-1"), u.SessionID)
			states = append(states, string(u.State.State))
		}
	}
	assert.Equal(t, []string{"running", "idle"}, states)
	children := parent.Children()
	require.Len(t, children, 1)
	child := children[0]
	assert.Equal(t, acp.SessionID("child-1"), child.ID())
	assert.Equal(t, parent, child.Parent())
	assert.Equal(t, acp.OriginChild, child.Origin())
	assert.Zero(t, conn.Counters().Orphans)
	said := child.Updates()

	_, err = child.Prompt(t.Context(), acp.Text("x"), nil)
	require.ErrorIs(t, err, acp.ErrChildSession)
	_, err = child.Fork(t.Context(), nil)
	require.ErrorIs(t, err, acp.ErrChildSession)
	require.ErrorIs(t, child.Cancel(t.Context()), acp.ErrChildSession, "it was not announced to take one")
	require.NoError(t, parent.Close(t.Context()))
	var text string
	for n := range said { // ends with its parent
		assert.False(t, n.Late)
		text += answer([]acp.SessionNotification{n})
	}
	assert.NotEmpty(t, text)
	assert.Empty(t, parent.Children())
}

// What a child asks for is decided by its parent's handler, and answered by its parent's cancel (KiroCrew#3785).
func TestPermissionOfAChild_R46_KiroCrew3785(t *testing.T) {
	announced := false
	for _, tc := range []struct {
		name      string
		script    acptest.Script
		asked     int
		strangers int64
	}{
		{"announced", acptest.Script{Child: "child-1", ChildPermission: true}, 1, 0},
		{"not announced: refused and counted", acptest.Script{Child: "child-1", ChildPermission: true, ChildAnnounced: &announced}, 0, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			asked := 0
			conn, agent := connect(t, &tc.script, &acp.ClientOptions{Subagents: true})
			parent, err := conn.NewSession(t.Context(), "/", &acp.SessionOptions{
				Permission: acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
					asked++
					assert.Equal(t, acp.SessionID("child-1"), req.SessionID)
					outcome, _ := req.Allow()
					return outcome, nil
				}),
			})
			require.NoError(t, err)
			_, _, err = play(t, parent, "x")
			require.NoError(t, err, "nobody is left waiting")
			assert.Equal(t, tc.asked, asked)
			assert.Equal(t, tc.strangers, conn.Counters().Strangers)
			answers := 0
			for _, e := range agent.Received() {
				if e.Method == "session/request_permission" {
					answers++
				}
			}
			assert.Equal(t, 1, answers)
		})
	}
}

func TestCancelOfTheParentAnswersTheChild_R39(t *testing.T) {
	conn, _ := connect(t, &acptest.Script{Child: "child-1", ChildPermission: true}, &acp.ClientOptions{Subagents: true})
	asked := make(chan struct{})
	parent, err := conn.NewSession(t.Context(), "/", &acp.SessionOptions{
		Permission: acp.PermissionFunc(func(ctx context.Context, _ *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			close(asked)
			<-ctx.Done()
			return acp.PermissionOutcome{}, ctx.Err()
		}),
	})
	require.NoError(t, err)
	turn, err := parent.Prompt(t.Context(), acp.Text("x"), nil)
	require.NoError(t, err)
	<-asked
	require.NoError(t, turn.Cancel(t.Context()))
	result, err := turn.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, acp.OutcomeCancelled, result.Outcome)
}
