package acp_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

// warnings gathers the diagnostics of one kind.
type gathered struct {
	mu   sync.Mutex
	list []string
}

func (g *gathered) of(kind acp.DiagnosticKind) func(acp.Diagnostic) {
	return func(d acp.Diagnostic) {
		if d.Kind == kind {
			g.mu.Lock()
			g.list = append(g.list, d.Text)
			g.mu.Unlock()
		}
	}
}

func (g *gathered) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.list)
}

func TestSilenceInATurn_R41_gajaecode5030(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script acptest.Script
		limits acp.Inactivity
		warned int
		check  func(t *testing.T, result *acp.TurnResult, err error, took time.Duration)
	}{
		{
			"warn, then cancel",
			acptest.Script{NeverEnd: true},
			acp.Inactivity{Warn: time.Minute, Cancel: 2 * time.Minute},
			1,
			func(t *testing.T, result *acp.TurnResult, err error, took time.Duration) {
				t.Helper()
				require.NoError(t, err)
				assert.Equal(t, acp.StopCancelled, result.StopReason)
				assert.True(t, result.Inactive)
				assert.InDelta(t, 2*time.Minute, took, float64(10*time.Second))
			},
		},
		{
			"an agent that ignores the cancel is killed, oh-my-pi#1113",
			acptest.Script{NeverEnd: true, Cancel: "ignore"},
			acp.Inactivity{Cancel: time.Minute, Kill: 3 * time.Minute},
			0,
			func(t *testing.T, result *acp.TurnResult, err error, took time.Duration) {
				t.Helper()
				var silence *acp.InactivityError
				require.ErrorAs(t, err, &silence)
				assert.True(t, result.Inactive)
				assert.InDelta(t, 3*time.Minute, took, float64(10*time.Second))
			},
		},
		{
			"frames keep it alive, sandbox-agent#291",
			acptest.Script{Updates: 30, UpdateDelay: acptest.Duration(50 * time.Second)},
			acp.Inactivity{Warn: time.Minute, Kill: 2 * time.Minute},
			0,
			func(t *testing.T, result *acp.TurnResult, err error, _ time.Duration) {
				t.Helper()
				require.NoError(t, err)
				assert.Equal(t, 30, result.Messages)
				assert.False(t, result.Inactive)
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var warned gathered
				session, _ := open(t, &tc.script, &acp.ClientOptions{Inactivity: tc.limits, Diagnostic: warned.of(acp.DiagnosticInactivity)})
				began := time.Now()
				_, result, err := play(t, session, "x")
				tc.check(t, result, err, time.Since(began))
				synctest.Wait()
				assert.Equal(t, tc.warned, warned.count())
			})
		})
	}
}

func TestTheClockStandsStillWhileTheAgentWaitsForUs_R41_vscodegoose40(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			select {
			case <-time.After(time.Hour): // a person
			case <-ctx.Done():
			}
			outcome, _ := req.Allow()
			return outcome, nil
		})
		session, _ := open(t, &acptest.Script{PermissionOn: "prompt"}, &acp.ClientOptions{
			Permission: handler, Inactivity: acp.Inactivity{Cancel: time.Minute, Kill: 2 * time.Minute},
		})
		_, result, err := play(t, session, "x")
		require.NoError(t, err)
		assert.Equal(t, acp.StopEndTurn, result.StopReason)
	})
}

func TestNoiseIsNoActivity_sortie835(t *testing.T) {
	conn, err := acp.NewClient(testClient, nil).Connect(t.Context(), &acp.CommandTransport{
		Command: "sh", Args: []string{"-c", `IFS= read -r line; echo '{"id":1,"result":{"protocolVersion":1}}'
IFS= read -r line; echo '{"id":2,"result":{"sessionId":"s"}}'; while :; do printf 'spinning\n'; done`},
		Stop: acp.StopGrace{StdinClose: time.Millisecond},
	})
	require.NoError(t, err)
	defer assertClosed(t, conn)
	session, err := conn.NewSession(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), acp.Text("x"), &acp.PromptOptions{Inactivity: &acp.Inactivity{Kill: 200 * time.Millisecond}})
	require.NoError(t, err)
	_, err = turn.Wait(t.Context())
	var silence *acp.InactivityError
	require.ErrorAs(t, err, &silence)
}

func TestProgressTellsOfEveryPhase_zed43819(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []acp.Progress
		conn, _ := connect(t, &acptest.Script{SlowStart: acptest.Duration(12 * time.Second)}, &acp.ClientOptions{
			Progress: func(p acp.Progress) { told = append(told, p) },
		})
		_, err := conn.NewSession(t.Context(), "/", nil)
		require.NoError(t, err)
		assert.Equal(t, []acp.Progress{
			{Phase: acp.PhaseSpawn},
			{Phase: acp.PhaseSpawn, Done: true},
			{Phase: acp.PhaseInitialize},
			{Phase: acp.PhaseInitialize, Elapsed: 5 * time.Second},
			{Phase: acp.PhaseInitialize, Elapsed: 10 * time.Second},
			{Phase: acp.PhaseInitialize, Elapsed: 12 * time.Second, Done: true},
			{Phase: acp.PhaseSession},
			{Phase: acp.PhaseSession, Done: true},
		}, told)
	})
}

// TestVerdicts has one row for each way in which agents go away or seem to.
func TestVerdicts(t *testing.T) {
	const answers = `IFS= read -r line; echo '{"id":1,"result":{"protocolVersion":1}}'; `
	for _, tc := range []struct {
		name, script string
		phase        acp.Phase
		exit         bool
		code         int
		signal       string
		pipe         acp.PipeState
	}{
		{"exits 0 during session/new, opencode#22795", answers + `IFS= read -r line; exit 0`, acp.PhaseSession, true, 0, "", acp.PipeClosed},
		{"exits 3 during session/new", answers + `IFS= read -r line; exit 3`, acp.PhaseSession, true, 3, "", acp.PipeClosed},
		{"killed by itself, compozy#436", answers + `IFS= read -r line; kill -9 $$`, acp.PhaseSession, true, -1, "SIGKILL", acp.PipeClosed},
		{"closes its output and lives, rmcp via codex#39149", answers + `IFS= read -r line; exec >&-; exec sleep 1000`, acp.PhaseSession, false, 0, "", acp.PipeClosed},
		{"300 KiB to stderr first, Eidon-AI#247", `head -c 307200 /dev/zero | tr '\0' e >&2; ` + answers + `IFS= read -r line; exit 4`, acp.PhaseSession, true, 4, "", acp.PipeClosed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, err := acp.NewClient(testClient, nil).Connect(t.Context(), &acp.CommandTransport{
				Command: "sh", Args: []string{"-c", tc.script}, Stop: acp.StopGrace{StdinClose: time.Millisecond},
			})
			require.NoError(t, err)
			_, err = conn.NewSession(t.Context(), t.TempDir(), nil)
			death, ok := errors.AsType[*acp.DeathError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, tc.phase, death.Phase)
			assert.Equal(t, tc.pipe, death.Pipe)
			assert.Positive(t, death.Uptime)
			assert.Positive(t, death.LastFrame)
			assert.Equal(t, tc.exit, death.Exit != nil, "%v", err)
			if tc.exit {
				assert.Equal(t, tc.code, death.Exit.Code)
				assert.Equal(t, tc.signal, death.Exit.Signal)
				assert.True(t, death.Exit.Self())
			} else {
				assert.ErrorContains(t, err, "not known to have exited")
			}
			assertClosed(t, conn)
			assert.Empty(t, conn.Exit().Leftover)
		})
	}
}
