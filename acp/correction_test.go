package acp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

// TestCorrectionsDecide has an agent that advertises what it does not do, as nanocoder does with session/close and gemini with
// session/load, and one that does what it does not advertise.
func TestCorrectionsDecide(t *testing.T) {
	t.Parallel()
	const why = "it answers -32601"
	for _, tc := range []struct {
		name       string
		advertised string
		corrected  []acp.Correction
		calls      bool   // session/close reaches the agent
		reason     string // of the error
	}{
		{name: "advertised", advertised: `{"close":{}}`, calls: true},
		{name: "not advertised", advertised: `{}`},
		{name: "advertised and not done", advertised: `{"close":{}}`, corrected: []acp.Correction{{Capability: "sessionCapabilities.close", Reason: why}}, reason: why},
		{name: "neither", advertised: `{}`, corrected: []acp.Correction{{Capability: "sessionCapabilities.close", Reason: why}}},
		{
			name: "done and not advertised", advertised: `{}`, calls: true,
			corrected: []acp.Correction{{Capability: "sessionCapabilities.close", Works: true}},
		},
		{
			name: "the last one counts", advertised: `{"close":{}}`, calls: true,
			corrected: []acp.Correction{{Capability: "sessionCapabilities.close", Reason: why}, {Capability: "sessionCapabilities.close", Works: true}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			script, err := acptest.ParseScript([]byte(`{"capabilities":{"sessionCapabilities":` + tc.advertised + `}}`))
			require.NoError(t, err)
			conn, agent := connect(t, script, &acp.ClientOptions{Corrections: tc.corrected})
			assert.Equal(t, tc.calls, conn.Capabilities().Session.Close)
			assert.Equal(t, tc.advertised != "{}", conn.Advertised("sessionCapabilities.close"))
			err = conn.CloseSession(t.Context(), "stored")
			called := false
			for _, frame := range agent.Received() {
				called = called || frame.Method == "session/close"
			}
			assert.Equal(t, tc.calls, called)
			if tc.calls {
				return
			}
			var unsupported *acp.UnsupportedError
			require.ErrorAs(t, err, &unsupported)
			assert.Equal(t, acp.UnsupportedError{Capability: "sessionCapabilities.close", Reason: tc.reason}, *unsupported)
			assert.ErrorIs(t, err, acp.ErrUnsupported)
			assert.Contains(t, err.Error(), tc.reason)
		})
	}
}

func TestEveryCapabilityCanBeCorrected(t *testing.T) {
	t.Parallel()
	for _, capability := range []string{
		"loadSession", "promptCapabilities.image", "promptCapabilities.audio", "promptCapabilities.embeddedContext", "mcpCapabilities.http",
		"mcpCapabilities.sse", "auth.logout", "auth.status", "providers", "sessionCapabilities.list", "sessionCapabilities.delete",
		"sessionCapabilities.resume", "sessionCapabilities.close", "sessionCapabilities.fork", "sessionCapabilities.additionalDirectories",
		"sessionCapabilities.archive", "sessionCapabilities.status", "sessionCapabilities.title",
	} {
		plain, _ := connect(t, nil, nil)
		conn, _ := connect(t, nil, &acp.ClientOptions{Corrections: []acp.Correction{{Capability: capability, Works: !plain.Advertised(capability)}}})
		assert.NotEqual(t, plain.Capabilities(), conn.Capabilities(), capability)
		assert.Equal(t, plain.Capabilities().Raw, conn.Capabilities().Raw, capability)
	}
}

func TestAnUnknownCorrectionIsRefused(t *testing.T) {
	t.Parallel()
	_, err := acp.NewClient(acp.Implementation{}, &acp.ClientOptions{Corrections: []acp.Correction{{Capability: "session.close"}}}).
		Connect(t.Context(), acptest.NewAgent(nil))
	assert.ErrorContains(t, err, `cannot correct capability "session.close"`)
}
