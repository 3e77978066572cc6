package acp_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

func TestProcessFromStartToStop(t *testing.T) {
	conn := start(t, processAgent(t, `{}`), nil)
	assert.Positive(t, conn.PID())
	assert.Nil(t, conn.Exit())
	session, err := conn.NewSession(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	updates, _, err := play(t, session, "hello")
	require.NoError(t, err)
	assert.Contains(t, answer(updates), "You said: hello")
	assertClosed(t, conn)
	require.ErrorIs(t, conn.Err(), acp.ErrClosed)
	exit := conn.Exit()
	require.NotNil(t, exit)
	assert.Zero(t, exit.Code)
	assert.Equal(t, "stdin closed", exit.By)
	assert.Empty(t, exit.Leftover)
	assertClosed(t, conn)
	_, err = session.Prompt(t.Context(), acp.Text("x"), nil)
	assert.Error(t, err, "after the end everything fails at once")
	_, err = conn.NewSession(t.Context(), "/", nil)
	assert.ErrorIs(t, err, acp.ErrClosed)
}

func TestStartFailures(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		code         int
		text         []string
	}{
		{"exit 0 before the handshake, opencode#22795", `{"exitAt":"start"}`, 0, []string{"initialize", "exited with code 0"}},
		{"exit 3, iOfficeAI#663", `{"exitAt":"initialize","exitCode":3}`, 3, []string{"exited with code 3"}},
		{"half a frame, agent-os#898", `{"exitAt":"initialize","exitAfterAnswer":true,"truncateAtEOF":true}`, 0, []string{"truncated frame"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := acp.NewClient(testClient, nil).Connect(t.Context(), processAgent(t, tc.script))
			start, ok := errors.AsType[*acp.StartError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, acp.PhaseInitialize, start.Phase)
			require.NotNil(t, start.Exit)
			assert.Equal(t, tc.code, start.Exit.Code)
			assert.True(t, start.Exit.Self(), start.Exit.By)
			for _, text := range tc.text {
				assert.ErrorContains(t, err, text)
			}
		})
	}
}

func TestStandardErrorIsInTheError_ruflo215(t *testing.T) {
	_, err := acp.NewClient(testClient, nil).Connect(t.Context(), &acp.CommandTransport{
		Command: "sh", Args: []string{"-c", "echo 'sh: adapter: command not found' >&2; exit 127"},
	})
	require.ErrorContains(t, err, "exited with code 127")
	assert.ErrorContains(t, err, "adapter: command not found")
}

func TestCommandThatCannotRun(t *testing.T) {
	dir := t.TempDir()
	plain := dir + "/plain"
	require.NoError(t, os.WriteFile(plain, []byte("text"), 0o600))
	for _, tc := range []struct {
		command string
		phase   acp.Phase
	}{
		{"no-such-command-anywhere", acp.PhaseResolve},
		{dir + "/missing", acp.PhaseSpawn},
		{plain, acp.PhaseSpawn},
		{dir, acp.PhaseSpawn},
	} {
		_, err := acp.NewClient(testClient, nil).Connect(t.Context(), &acp.CommandTransport{Command: tc.command})
		start, ok := errors.AsType[*acp.StartError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, tc.phase, start.Phase, tc.command)
		assert.Nil(t, start.Exit)
	}
}

func TestDeathInMidTurnFailsEverythingWithOneRecord_vibestation76(t *testing.T) {
	conn := start(t, processAgent(t, `{"updates":10,"exitAt":"mid-turn","exitCode":7,"stderr":500}`), nil)
	defer assertClosed(t, conn)
	session, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	other, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	updates, result, err := play(t, session, "x")
	death, ok := errors.AsType[*acp.DeathError](err)
	require.True(t, ok, "%v", err)
	require.NotNil(t, death.Exit)
	assert.Equal(t, 7, death.Exit.Code)
	assert.True(t, death.Exit.Self())
	assert.NotEmpty(t, death.Stderr)
	assert.NotEmpty(t, answer(updates), "what was read before is not lost")
	assert.Positive(t, result.Messages)
	<-conn.Done()
	assert.Equal(t, err, conn.Err())
	_, err = other.Prompt(t.Context(), acp.Text("x"), nil)
	assert.Error(t, err)
	_, err = conn.NewSession(t.Context(), "/", nil)
	assert.ErrorIs(t, err, death)
	for range session.Updates() {
		t.Error("the stream of a dead session is over")
	}
}

func TestLastFrameWithoutNewlineCounts_acpx160(t *testing.T) {
	conn := start(t, processAgent(t, `{"noNewlineAtEOF":true}`), nil)
	defer assertClosed(t, conn)
	session, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	_, result, err := play(t, session, "x")
	require.NoError(t, err)
	assert.Equal(t, acp.StopEndTurn, result.StopReason)
}

func TestStderrIsAlwaysDrained_Eidon247(t *testing.T) {
	var lines int
	opts := &acp.ClientOptions{Diagnostic: func(d acp.Diagnostic) {
		if d.Kind == acp.DiagnosticStderr {
			lines += 1 + d.Dropped
		}
	}}
	conn := start(t, processAgent(t, `{"stderr":300000}`), opts)
	assert.NotEmpty(t, conn.StderrTail())
	assert.LessOrEqual(t, len(conn.StderrTail()), 64<<10)
	assertClosed(t, conn)
	assert.Positive(t, lines)
}

func TestAgentThatIgnoresTheEndOfItsInput_opendesign1286(t *testing.T) {
	transport := processAgent(t, `{"ignoreStdinEOF":true}`)
	transport.Stop = acp.StopGrace{StdinClose: 50 * time.Millisecond}
	conn := start(t, transport, nil)
	assertClosed(t, conn)
	assert.Equal(t, "terminated", conn.Exit().By)
	assert.Equal(t, "SIGTERM", conn.Exit().Signal)
}

func TestCloseWithAnEndedContextKillsAtOnce(t *testing.T) {
	conn := start(t, processAgent(t, `{"ignoreStdinEOF":true}`), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, conn.Close(ctx))
	assert.Equal(t, "SIGKILL", conn.Exit().Signal)
}

func TestAgentThatStopsReadingBlocksNobodyForEver_clawbench280(t *testing.T) {
	conn := start(t, processAgent(t, `{"stopReading":"session/new"}`), &acp.ClientOptions{WriteStall: -1})
	session, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), acp.Text(strings.Repeat("x", 1<<20)), nil)
	require.NoError(t, err, "the prompt is queued")
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := conn.NewSession(ctx, "/"+strings.Repeat("d", 1<<20), nil)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
	}
	wg.Wait()
	now, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, conn.Close(now))
	_, err = turn.Wait(t.Context())
	require.ErrorIs(t, err, acp.ErrClosed)
}

func TestWriteStallEndsTheConnection(t *testing.T) {
	transport := processAgent(t, `{"stopReading":"session/new","ignoreStdinEOF":true}`)
	transport.Stop = acp.StopGrace{StdinClose: 50 * time.Millisecond}
	conn := start(t, transport, &acp.ClientOptions{WriteStall: 100 * time.Millisecond})
	defer assertClosed(t, conn)
	session, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), acp.Text(strings.Repeat("x", 1<<20)), nil)
	require.NoError(t, err)
	_, err = turn.Wait(t.Context())
	assert.ErrorContains(t, err, "took no byte")
}

func TestCallsRacingWithTheEnd_testfx10085(t *testing.T) {
	conn := start(t, processAgent(t, `{}`), nil)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			for {
				session, err := conn.NewSession(t.Context(), "/", nil)
				if err != nil {
					assert.ErrorIs(t, err, acp.ErrClosed)
					return
				}
				turn, err := session.Prompt(t.Context(), acp.Text("x"), &acp.PromptOptions{NoUpdates: true})
				if err == nil {
					_, err = turn.Wait(t.Context())
				}
				if err != nil {
					return
				}
			}
		})
	}
	assertClosed(t, conn)
	wg.Wait()
}

func TestAgentThatDiesWhileALongPromptIsWritten_eliza22438(t *testing.T) {
	conn := start(t, &acp.CommandTransport{
		Command: "sh", Args: []string{"-c", `IFS= read -r line; echo '{"id":1,"result":{"protocolVersion":1}}'
IFS= read -r line; echo '{"id":2,"result":{"sessionId":"s"}}'; head -c 100 >/dev/null; echo broken >&2; exit 9`},
	}, nil)
	defer assertClosed(t, conn)
	session, err := conn.NewSession(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), acp.Text(strings.Repeat("x", 4<<20)), nil)
	require.NoError(t, err)
	_, err = turn.Wait(t.Context())
	death, ok := errors.AsType[*acp.DeathError](err)
	require.True(t, ok, "%v", err)
	require.NotNil(t, death.Exit)
	assert.Equal(t, 9, death.Exit.Code)
	assert.Contains(t, death.Stderr, "broken")
}
