package acp_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

func TestStoppedIsNotDead_dotagentdeck148(t *testing.T) {
	const limit = 2 * time.Second
	stopped := make(chan struct{}, 1)
	conn, err := acp.NewClient(testClient, &acp.ClientOptions{
		Inactivity: acp.Inactivity{Kill: limit},
		Diagnostic: func(d acp.Diagnostic) {
			if d.Kind == acp.DiagnosticInactivity && strings.Contains(d.Text, "stopped, not dead") {
				stopped <- struct{}{}
			}
		},
	}).Connect(t.Context(), processAgent(t, `{"updates":100,"updateDelay":"20ms"}`))
	require.NoError(t, err)
	defer assertClosed(t, conn)
	session, err := conn.NewSession(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), acp.Text("x"), nil)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(conn.PID(), syscall.SIGSTOP))
	<-stopped
	long := time.NewTimer(limit + limit/2) // longer than what kills an agent that is only silent
	select {
	case <-turn.Done():
		t.Error("the turn ended while the agent was stopped")
	case <-long.C:
	}
	assert.NoError(t, conn.Err())
	require.NoError(t, syscall.Kill(conn.PID(), syscall.SIGCONT))
	result, err := turn.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, acp.StopEndTurn, result.StopReason)
	assert.Equal(t, 100, result.Messages)
}
