package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

const closeLimit = 20 * time.Second

func TestAgentInfoOfAnyShape_R28_goose9765(t *testing.T) {
	for _, tc := range []struct {
		name    string
		info    string
		version string
	}{
		{"plain", `{"name":"a","version":"2.21.0"}`, "2.21.0"},
		{"with a v", `{"name":"a","version":"v2.21"}`, "v2.21"},
		{"words", `{"name":"a","version":"kiro-cli 2.21.0 (abc)"}`, "kiro-cli 2.21.0 (abc)"},
		{"placeholder", `{"name":"a","version":"0.0.0"}`, "0.0.0"},
		{"nightly", `{"name":"a","version":"2.21.0-nightly.3+g1a2b"}`, "2.21.0-nightly.3+g1a2b"},
		{"empty", `{"name":"a","version":""}`, ""},
		{"null version", `{"name":"a","version":null}`, ""},
		{"number", `{"name":"a","version":7}`, ""},
		{"object", `{"name":"a","version":{"major":2}}`, ""},
		{"no version", `{"name":"a"}`, ""},
		{"empty object", `{}`, ""},
		{"null", `null`, ""},
		{"string", `"a 2.21.0"`, ""},
		{"array", `[{"version":"1"}]`, ""},
		{"version as last of two", `{"version":"1","version":"2"}`, "2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, _ := connect(t, &acptest.Script{AgentInfo: json.RawMessage(tc.info)}, nil)
			assert.Equal(t, tc.version, conn.Agent().Version)
		})
	}
	t.Run("missing", func(t *testing.T) {
		conn, _ := connect(t, &acptest.Script{OmitAgentInfo: true}, nil)
		assert.Equal(t, acp.Implementation{}, conn.Agent())
	})
}

func TestHandshakeOfAGoodAgent(t *testing.T) {
	conn, agent := connect(t, nil, nil)
	assert.Equal(t, acp.Implementation{Name: "acpharness-mock", Title: "acpharness built-in agent", Version: "1.2.3"}, conn.Agent())
	assert.True(t, conn.Capabilities().Session.Close)
	assert.True(t, conn.Capabilities().LoadSession)
	assert.JSONEq(t, "1", string(conn.ProtocolVersion()))
	assert.NoError(t, conn.Err())

	sent := agent.Received()[0]
	assert.Equal(t, "initialize", sent.Method)
	assert.JSONEq(t, `1`, string(sent.ID))
	assert.JSONEq(t, `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,`+
		`"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"plan":{}},"clientInfo":{"name":"test","version":"1.0.0"}}`, string(sent.Params))
}

func TestClientInfoAlwaysHasNameAndVersion_omoslim873(t *testing.T) {
	agent := acptest.NewAgent(nil)
	defer agent.Close()
	conn, err := acp.NewClient(acp.Implementation{}, nil).Connect(t.Context(), agent)
	require.NoError(t, err)
	assertClosed(t, conn)
	var params struct {
		ClientInfo map[string]string `json:"clientInfo"`
	}
	require.NoError(t, json.Unmarshal(agent.Received()[0].Params, &params))
	assert.Equal(t, map[string]string{"name": "acpharness", "version": "0.0.0"}, params.ClientInfo)
}

func TestNullIsAbsentInTheHandshake_kotlinsdk581(t *testing.T) {
	conn, _ := connect(t, &acptest.Script{NullOptionals: true}, nil)
	assert.Empty(t, conn.Agent())
	assert.Empty(t, conn.AuthMethods())
	assert.False(t, conn.Capabilities().Session.Close)
}

func TestProtocolVersionIsReadLenientlyAndDecidedStrictly_R27_openab1318(t *testing.T) {
	for _, tc := range []struct {
		sent, answered string
		ok             bool
	}{
		{"", `1`, true},
		{"", `1.0`, true},
		{"", `"1"`, true},
		{"", `null`, true},
		{"", `"2025-08-22"`, true},
		{`"2025-08-22"`, `"2025-08-22"`, true},
		{"", `2`, false},
		{"", `99`, false},
		{"", `0`, false},
		{"", `true`, false},
		{"", `"two"`, false},
		{"", `{}`, false},
	} {
		t.Run(tc.sent+" "+tc.answered, func(t *testing.T) {
			agent := acptest.NewAgent(&acptest.Script{ProtocolVersion: json.RawMessage(tc.answered)})
			defer agent.Close()
			conn, err := acp.NewClient(testClient, &acp.ClientOptions{ProtocolVersion: tc.sent}).Connect(t.Context(), agent)
			if tc.ok {
				require.NoError(t, err)
				assertClosed(t, conn)
				return
			}
			version, ok := errors.AsType[*acp.ProtocolVersionError](err)
			require.True(t, ok, "%v", err)
			assert.JSONEq(t, tc.answered, string(version.Got))
			assert.Len(t, agent.Received(), 1, "nothing is sent after the answer")
		})
	}
	t.Run("missing", func(t *testing.T) {
		connect(t, &acptest.Script{OmitProtocolVersion: true}, nil)
	})
}

func TestProtocolLiteralIsSentAsGiven_KiroCrew3196(t *testing.T) {
	_, agent := connect(t, &acptest.Script{ProtocolVersion: json.RawMessage(`1`)}, &acp.ClientOptions{ProtocolVersion: `"2025-08-22"`})
	assert.Contains(t, string(agent.Received()[0].Params), `"protocolVersion":"2025-08-22"`)

	_, err := acp.NewClient(testClient, &acp.ClientOptions{ProtocolVersion: `2025-08-22`}).Connect(t.Context(), acptest.NewAgent(nil))
	assert.ErrorContains(t, err, "no JSON literal")
}

func TestSilentAgentEndsWithTheLimitOfInitialize_geminicli22782(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := acptest.NewAgent(&acptest.Script{Silent: true})
		defer agent.Close()
		began := time.Now()
		_, err := acp.NewClient(testClient, nil).Connect(t.Context(), agent)
		start, ok := errors.AsType[*acp.StartError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, acp.PhaseInitialize, start.Phase)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "no answer within 1m0s")
		assert.Equal(t, time.Minute, time.Since(began))
	})
}

func TestSlowStartIsWaitedFor_zed43819(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _ := connect(t, &acptest.Script{SlowStart: acptest.Duration(45 * time.Second)}, nil)
		assert.Equal(t, "1.2.3", conn.Agent().Version)
	})
}

func TestEchoIsNamed(t *testing.T) {
	agent := acptest.NewAgent(&acptest.Script{Echo: true})
	defer agent.Close()
	_, err := acp.NewClient(testClient, nil).Connect(t.Context(), agent)
	assert.ErrorIs(t, err, acp.ErrEcho)
}

func TestNoiseBeforeTheFirstFrame(t *testing.T) {
	const banner = "[Agent] init step\n"
	var lines string
	for range 12 {
		lines += banner
	}
	for _, tc := range []struct {
		name  string
		noise acptest.Noise
		lines int64
	}{
		{"migration log, opencode#13634", acptest.Noise{At: "start", Text: "running migration 3...\n"}, 1},
		{"twelve lines, acpx#160", acptest.Noise{At: "start", Text: lines}, 12},
		{"control sequences, kagan#148", acptest.Noise{At: "start", Text: "\x1b[?25l\n\x1b[0m\n"}, 2},
		{"scalars and arrays, benchflow#236", acptest.Noise{At: "start", Text: "\"ready\"\n[1,2]\n7\n"}, 3},
		{"log object with our id, benchflow#236", acptest.Noise{At: "start", Text: `{"level":"info","id":1,"msg":"x"}` + "\n"}, 1},
		{"box drawing, codex-autorunner#1176", acptest.Noise{At: "start", Text: "│ thinking │\n"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, _ := connect(t, &acptest.Script{Noise: []acptest.Noise{tc.noise}}, nil)
			assert.Equal(t, tc.lines, conn.Counters().Noise)
			assert.Len(t, conn.Noise(), int(tc.lines))
		})
	}
}

func TestNoiseFuse_acpx159(t *testing.T) {
	var screen string
	for range 30 {
		screen += "\x1b[2J\x1b[H welcome to the interactive mode\n"
	}
	agent := acptest.NewAgent(&acptest.Script{Silent: true, Noise: []acptest.Noise{{At: "start", Text: screen}}})
	defer agent.Close()
	_, err := acp.NewClient(testClient, &acp.ClientOptions{NoiseLimit: acp.NoiseLimit{Lines: 20}}).Connect(t.Context(), agent)
	require.ErrorIs(t, err, acp.ErrNotACP)
	start, ok := errors.AsType[*acp.StartError](err)
	require.True(t, ok)
	assert.NotEmpty(t, start.Noise)
	assert.NotContains(t, start.Noise[0], "\x1b", "what is shown cannot drive a terminal")
}

func TestFramingFaultsOfTheWholeConversation(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script acptest.Script
	}{
		{"byte by byte, codex-acp#345", acptest.Script{Chunk: 1}},
		{"byte order mark, typescript-sdk#2790", acptest.Script{BOM: true}},
		{"carriage returns, python-sdk#2433", acptest.Script{CRLF: true, BlankLines: 1}},
		{"glued control sequence, oh-my-pi#11304", acptest.Script{Noise: []acptest.Noise{{At: "glued", Text: "\x1b]0;title\x07"}}}},
		{"noise around answers, codex-autorunner#1176", acptest.Script{Noise: []acptest.Noise{
			{At: "before", Text: "[tool] deliberating...\n"}, {At: "after", Text: "\x1b[0m\n"},
		}}},
		{"answers twice, claude-agent-acp#551", acptest.Script{DupResponse: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			session, _ := open(t, &tc.script, nil)
			for range 2 {
				updates, result, err := play(t, session, "hello € 😀")
				require.NoError(t, err)
				assert.Equal(t, acp.StopEndTurn, result.StopReason)
				assert.Contains(t, answer(updates), "You said: hello € 😀")
			}
		})
	}
}

func TestAuthRequired(t *testing.T) {
	conn, _ := connect(t, &acptest.Script{AuthRequired: 1}, nil)
	_, err := conn.NewSession(t.Context(), "/", nil)
	assert.True(t, acp.IsAuthRequired(err), "%v", err)
	_, err = conn.NewSession(t.Context(), "/", nil)
	assert.NoError(t, err)
	require.NotEmpty(t, conn.AuthMethods())
	assert.NotEmpty(t, conn.AuthMethods()[0].ID)
}
