package acp_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/acp"
)

// markEnv marks every process of the trees of one test.
const markEnv = "ACP_TEST_TREE"

// alive returns the living processes whose environment has the mark.
func alive(t *testing.T, mark string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	var found []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		environ, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil || !bytes.Contains(environ, []byte(markEnv+"="+mark)) {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if i := bytes.LastIndexByte(stat, ')'); err == nil && i+2 < len(stat) && stat[i+2] != 'Z' {
			found = append(found, string(stat[:i+3]))
		}
	}
	return found
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

// launchers start the agent ("$0") and what agents start beside themselves.
var launchers = []struct{ name, script string }{
	{"launcher, agent, sleeper", `exec 3<&0; sleep 1000 & "$0" <&3 & wait $!`},
	{"ignores TERM", `trap '' TERM; sleep 1000 & exec "$0"`},
	{"a child that called setsid", `setsid sleep 1000 & exec "$0"`},
	{"a double fork", `(setsid sh -c 'sleep 1000 & exit 0' &) ; exec "$0"`},
	{"a child that holds stdout and stdin", `exec 3<&0; setsid sh -c 'exec sleep 1000' <&3 & exec "$0"`},
}

// ways are the moments at which an agent is got rid of.
var ways = []struct {
	name string
	do   func(t *testing.T, client *acp.Client, transport acp.Transport)
}{
	{"in the handshake", func(t *testing.T, client *acp.Client, transport acp.Transport) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(mathrand.IntN(25_000))*time.Microsecond)
		defer cancel()
		if conn, err := client.Connect(ctx, transport); err == nil {
			assertClosed(t, conn)
		}
	}},
	{"after the handshake", func(t *testing.T, client *acp.Client, transport acp.Transport) {
		t.Helper()
		conn, err := client.Connect(t.Context(), transport)
		require.NoError(t, err)
		assertClosed(t, conn)
	}},
	{"in the middle of a turn", func(t *testing.T, client *acp.Client, transport acp.Transport) {
		t.Helper()
		conn, turn := neverEnding(t, client, transport)
		assertClosed(t, conn)
		_, err := turn.Wait(t.Context())
		require.ErrorIs(t, err, acp.ErrClosed)
	}},
	{"killed from outside in the middle of a turn", func(t *testing.T, client *acp.Client, transport acp.Transport) {
		t.Helper()
		conn, turn := neverEnding(t, client, transport)
		require.NoError(t, syscall.Kill(conn.PID(), syscall.SIGKILL))
		_, err := turn.Wait(t.Context())
		_, ok := errors.AsType[*acp.DeathError](err)
		require.True(t, ok, "%v", err)
		assertClosed(t, conn)
	}},
	{"in the middle of the stop", func(t *testing.T, client *acp.Client, transport acp.Transport) {
		t.Helper()
		conn, err := client.Connect(t.Context(), transport)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(mathrand.IntN(30_000))*time.Microsecond)
		defer cancel()
		require.NoError(t, conn.Close(ctx))
	}},
}

func neverEnding(t *testing.T, client *acp.Client, transport acp.Transport) (*acp.Conn, *acp.Turn) {
	t.Helper()
	conn, err := client.Connect(t.Context(), transport)
	require.NoError(t, err)
	session, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), acp.Text("x"), nil)
	require.NoError(t, err)
	for range turn.Updates() {
		break
	}
	return conn, turn
}

func TestNoDescendantIsLeft_KiroCrew11789(t *testing.T) {
	rounds := len(launchers) * len(ways)
	if heavy() {
		rounds = 1000
	}
	mark := rand.Text()
	self := processAgent(t, `{"neverEnd":true,"updates":1,"ignoreStdinEOF":true}`)
	env := append(self.Env, markEnv+"="+mark)
	client := acp.NewClient(testClient, nil)
	files, goroutines := openFiles(t), goleak.IgnoreCurrent()
	slowest := time.Duration(0)
	for i := range rounds {
		launcher, way := launchers[i%len(launchers)], ways[i/len(launchers)%len(ways)]
		began := time.Now()
		way.do(t, client, &acp.CommandTransport{
			Command: "sh", Args: []string{"-c", launcher.script, self.Command}, Env: env,
			Stop: acp.StopGrace{StdinClose: 20 * time.Millisecond, Terminate: 50 * time.Millisecond},
		})
		slowest = max(slowest, time.Since(began))
		require.Empty(t, alive(t, mark), "%s, got rid of %s", launcher.name, way.name)
	}
	t.Logf("%d trees, none alive afterwards, the slowest took %v", rounds, slowest.Round(time.Millisecond))
	assert.LessOrEqual(t, openFiles(t), files)
	goleak.VerifyNone(t, goroutines)
}

func TestTheAnswerBeforeAnExitIsNeverLost_go19685(t *testing.T) {
	rounds := 100
	if heavy() {
		rounds = 1000
	}
	client := acp.NewClient(testClient, nil)
	for range rounds {
		conn, err := client.Connect(t.Context(), &acp.CommandTransport{
			Command: "sh", Args: []string{"-c", `IFS= read -r line; echo '{"id":1,"result":{"protocolVersion":1,"agentInfo":{"version":"1.0"}}}'`},
		})
		require.NoError(t, err)
		require.Equal(t, "1.0", conn.Agent().Version)
		<-conn.Done()
		death, ok := errors.AsType[*acp.DeathError](conn.Err())
		require.True(t, ok, "%v", conn.Err())
		require.NotNil(t, death.Exit)
		assert.Zero(t, death.Exit.Code)
		assertClosed(t, conn)
	}
}

func TestDaemonsAreReportedAndLeftAlone(t *testing.T) {
	mark := rand.Text()
	self := processAgent(t, `{}`)
	transport := &acp.CommandTransport{
		Command: "sh", Args: []string{"-c", `setsid sleep 1000.5 & exec "$0"`, self.Command},
		Env: append(self.Env, markEnv+"="+mark), Daemons: []string{"sleep 1000.5"},
	}
	conn, err := acp.NewClient(testClient, nil).Connect(t.Context(), transport)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // it has left the group when it is what it is to be
		return slices.ContainsFunc(alive(t, mark), func(p string) bool { return strings.Contains(p, "(sleep)") })
	}, 10*time.Second, time.Millisecond)
	tree := conn.Tree()
	assert.True(t, tree.Known)
	assert.GreaterOrEqual(t, tree.Processes, 2)
	assert.Positive(t, tree.RSS)
	assertClosed(t, conn)
	require.Len(t, conn.Exit().Daemons, 1)
	left := alive(t, mark)
	require.Len(t, left, 1)
	require.NoError(t, syscall.Kill(conn.Exit().Daemons[0].PID, syscall.SIGKILL))
	assert.Contains(t, left[0], "sleep")
}
