package acp_test

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

func TestBurstWithASlowConsumer_qwencode6309(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const updates = 5000
		session, _ := open(t, &acptest.Script{Updates: updates, UpdatesPerWrite: 100}, nil)
		turn, err := session.Prompt(t.Context(), acp.Text("x"), nil)
		require.NoError(t, err)
		began, seen := time.Now(), 0
		for n := range turn.Updates() {
			if n.Update.UpdateKind() == acp.KindAgentMessageChunk {
				<-time.After(time.Millisecond)
				seen++
			}
		}
		assert.Equal(t, updates, seen)
		assert.Equal(t, updates*time.Millisecond, time.Since(began))
		_, err = turn.Wait(t.Context())
		require.NoError(t, err)
		_, _, err = play(t, session, "the connection lives")
		require.NoError(t, err)
	})
}

// TestEndlessLineOfAProcess_rustsdk342 has a process write a gigabyte (64 MiB in a hurry) without a newline.
func TestEndlessLineOfAProcess_rustsdk342(t *testing.T) {
	maxFrame, bytes := 4<<20, "67108864"
	if heavy() {
		maxFrame, bytes = 0, "1073741824"
	}
	const script = `IFS= read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
IFS= read -r line; head -c "$0" /dev/zero | tr '\0' x; sleep 1000`
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	conn, err := acp.NewClient(testClient, &acp.ClientOptions{MaxFrame: maxFrame}).Connect(t.Context(),
		&acp.CommandTransport{Command: "sh", Args: []string{"-c", script, bytes}, Stop: acp.StopGrace{StdinClose: time.Millisecond}})
	if err != nil && runtime.GOOS == "windows" {
		t.Skip("there is no shell here")
	}
	require.NoError(t, err)
	_, err = conn.NewSession(t.Context(), t.TempDir(), nil)
	death, ok := errors.AsType[*acp.DeathError](err)
	require.True(t, ok, "%v", err)
	require.ErrorContains(t, death, "without a newline")
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	frame := uint64(64 << 20)
	if maxFrame > 0 {
		frame = uint64(maxFrame)
	}
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, 2*frame+64<<20)
	grown := after.HeapSys - min(before.HeapSys, after.HeapSys)
	t.Logf("the heap grew by %d MiB for a cap of %d MiB", grown>>20, frame>>20)
	assert.Less(t, grown, frame+64<<20)
	assertClosed(t, conn)
	assert.Empty(t, conn.Exit().Leftover, "nothing of its process group is alive")
}
