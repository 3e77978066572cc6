package acp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

func TestSetMode(t *testing.T) {
	session, agent := open(t, nil, nil)
	updates := session.Updates()
	require.NoError(t, session.SetMode(t.Context(), "plan"))
	received := agent.Received()
	last := received[len(received)-1]
	assert.Equal(t, "session/set_mode", last.Method)
	assert.JSONEq(t, `{"sessionId":"`+string(session.ID())+`","modeId":"plan"}`, string(last.Params))
	for n := range updates {
		if mode, ok := n.Update.(*acp.CurrentModeUpdate); ok {
			assert.Equal(t, "plan", mode.ModeID)
			break
		}
	}
}

func TestSetModeIsRefused(t *testing.T) {
	tests := []struct {
		name, mode string
		closed     bool
		want       error
		text       string
	}{
		{"not offered", "yolo", false, acp.ErrNotOffered, `cannot set mode "yolo": the session does not offer it: it has default, plan`},
		{"empty", "", false, acp.ErrNotOffered, `cannot set mode ""`},
		{"closed", "plan", true, acp.ErrSessionClosed, `cannot set mode "plan": the session is closed`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			session, agent := open(t, nil, nil)
			if tt.closed {
				require.NoError(t, session.Close(t.Context()))
			}
			before := len(agent.Received())
			err := session.SetMode(t.Context(), tt.mode)
			require.ErrorIs(t, err, tt.want)
			require.ErrorContains(t, err, tt.text)
			assert.Len(t, agent.Received(), before, "nothing was sent")
		})
	}
}

func TestSetModeOfADeadAgent(t *testing.T) {
	conn, agent := connect(t, &acptest.Script{}, nil)
	session, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	agent.Close()
	require.ErrorContains(t, session.SetMode(t.Context(), "plan"), `cannot set mode "plan": `)
}
