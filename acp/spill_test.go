package acp_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

// heavy makes the counts of the heavy proofs the full ones; see docs/performance.md.
func heavy() bool { return os.Getenv("ACP_HEAVY") != "" }

// crowd is an agent with many sessions whose turns it plays all at once: when the last prompt has come it writes the
// updates of all of them in random order, then the answers.
type crowd struct {
	io.Reader
	out      *bufio.Writer
	pipe     *io.PipeWriter
	sessions int
	updates  int
	pad      string
	before   func(session int) // called before each update of a session

	mu      sync.Mutex
	opened  int
	prompts []json.RawMessage
	done    sync.WaitGroup
}

func newCrowd(sessions, updates int) *crowd {
	r, w := io.Pipe()
	return &crowd{
		Reader: r, pipe: w, out: bufio.NewWriterSize(w, 256<<10), sessions: sessions, updates: updates,
		pad: strings.Repeat("words and words ", 12),
	}
}

func (a *crowd) transport() acp.Transport { return &acp.IOTransport{Reader: a, Writer: a} }

func (a *crowd) Write(frame []byte) (int, error) {
	var req struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal(frame, &req); err != nil {
		return 0, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done.Go(func() { a.answer(req.Method, req.ID) })
	return len(frame), nil
}

func (a *crowd) answer(method string, id json.RawMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch method {
	case "initialize":
		fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}`+"\n", id)
	case "session/new":
		fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s%d"}}`+"\n", id, a.opened)
		a.opened++
	case "session/prompt":
		if a.prompts = append(a.prompts, id); len(a.prompts) == a.sessions {
			a.play()
		}
	}
	_ = a.out.Flush()
}

func (a *crowd) play() {
	rng := rand.New(rand.NewPCG(3, 4))
	sent := make([]int, a.sessions)
	for range a.updates {
		s := rng.IntN(a.sessions)
		if a.before != nil {
			a.before(s)
		}
		fmt.Fprintf(a.out, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s%d","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d %s"}}}}`+"\n", s, sent[s], a.pad)
		sent[s]++
	}
	for i, id := range a.prompts {
		fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn","_meta":{"sent":%d}}}`+"\n", id, i)
	}
}

func (a *crowd) Close() error { return a.pipe.Close() }

// number is the number that begins the text of an update of a crowd.
func number(t *testing.T, n acp.SessionNotification) int {
	t.Helper()
	first, _, _ := strings.Cut(answer([]acp.SessionNotification{n}), " ")
	i, err := strconv.Atoi(first)
	require.NoError(t, err)
	return i
}

// openCrowd opens the sessions of a crowd and begins a turn in each.
func openCrowd(t *testing.T, a *crowd, opts *acp.ClientOptions) (*acp.Conn, []*acp.Turn) {
	t.Helper()
	conn, err := acp.NewClient(testClient, opts).Connect(t.Context(), a.transport())
	require.NoError(t, err)
	t.Cleanup(func() {
		assertClosed(t, conn)
		a.done.Wait()
	})
	sessions := make([]*acp.Session, a.sessions)
	for i := range sessions {
		sessions[i], err = conn.NewSession(t.Context(), "/", &acp.SessionOptions{NoUpdates: true})
		require.NoError(t, err)
	}
	turns := make([]*acp.Turn, a.sessions)
	for i, s := range sessions {
		turns[i], err = s.Prompt(t.Context(), acp.Text("go"), nil)
		require.NoError(t, err)
	}
	return conn, turns
}

func TestSlowAndStoppedConsumersLoseNothing_Mitto(t *testing.T) {
	const sessions = 50
	updates, buffers := 100_000, acp.Buffers{Memory: 8 << 20}
	if heavy() {
		updates, buffers = 1_000_000, acp.Buffers{}
	}
	a := newCrowd(sessions, updates)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var peak uint64
	written := 0
	a.before = func(int) {
		if written++; written%10_000 == 0 {
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
		}
	}
	conn, turns := openCrowd(t, a, &acp.ClientOptions{Buffers: buffers})
	resume := make(chan struct{})
	var consumers sync.WaitGroup
	total := make([]int, sessions)
	for i, turn := range turns {
		stream := turn.Updates()
		consumers.Go(func() {
			for n := range stream {
				if !assert.Equal(t, total[i], number(t, n)) {
					return
				}
				total[i]++
				switch {
				case i%5 == 0 && total[i] == 10: // stopped
					<-resume
				case i%5 == 1 && rand.IntN(8) == 0: // slow
					for range 20 {
						json.Valid(n.Raw)
					}
				}
			}
		})
	}
	for _, turn := range turns {
		result, err := turn.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, result.Updates, result.Messages)
	}
	counters := conn.Counters()
	close(resume)
	consumers.Wait()
	sum := 0
	for _, n := range total {
		sum += n
	}
	assert.Equal(t, updates, sum, "every update was delivered once")
	assert.Positive(t, counters.Spilled)
	assert.Zero(t, conn.Counters().Lost)
	t.Logf("%d updates, %d spilled, heap grew by at most %d MiB", updates, counters.Spilled, peak>>20)
	if !raceEnabled {
		assert.Less(t, peak, uint64(200<<20))
	}
}

// gaps reads a stream and returns how many updates it had and how many its gaps say are missing, all in order.
func gaps(t *testing.T, turn *acp.Turn) (seen, missing int) {
	t.Helper()
	for n := range turn.Updates() {
		if gap, ok := n.Update.(*acp.Gap); ok {
			require.Equal(t, uint64(seen+missing+1), gap.From)
			missing += gap.Count
			continue
		}
		require.Equal(t, seen+missing, number(t, n))
		seen++
	}
	return seen, missing
}

func TestAtTheLimitOnlyTheOverflowingSessionHasAGap(t *testing.T) {
	for _, tc := range []struct {
		name    string
		buffers acp.Buffers
		disk    int // size of the file system to spill to, 0 for the usual one
	}{
		{"spill limit", acp.Buffers{Spill: 512 << 10}, 0},
		{"no spill", acp.Buffers{Spill: -1}, 0},
		{"no folder", acp.Buffers{Dir: "/no/such/folder"}, 0},
		{"full disk", acp.Buffers{}, 512 << 10},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const updates = 20_000
			a := newCrowd(2, updates)
			// The session that is read keeps up: the producer is never more than a few updates ahead of it.
			ahead := make(chan struct{}, 16)
			a.before = func(session int) {
				if session == 1 {
					if len(ahead) == cap(ahead) {
						_ = a.out.Flush()
					}
					ahead <- struct{}{}
				}
			}
			tc.buffers.Memory = 64 << 10
			if tc.disk > 0 {
				tc.buffers.Dir = smallDisk(t, tc.disk)
			}
			conn, turns := openCrowd(t, a, &acp.ClientOptions{Buffers: tc.buffers})
			stream := turns[1].Updates()
			reading := make(chan struct{})
			read := 0
			go func() {
				defer close(reading)
				for n := range stream {
					assert.NotEqual(t, acp.KindGap, n.Update.UpdateKind(), "the session that is read has no gap")
					read++
					<-ahead
				}
			}()
			<-reading
			seen, missing := gaps(t, turns[0])
			assert.Equal(t, updates, seen+missing+read)
			assert.Positive(t, missing)
			assert.Equal(t, int64(missing), conn.Counters().Lost)
		})
	}
}

// smallDisk mounts a file system of that many bytes.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := mountSmall(dir, size); err != nil {
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, os.ErrPermission) {
			t.Skip("a small file system cannot be mounted here")
		}
		require.NoError(t, err)
	}
	t.Cleanup(func() { assert.NoError(t, unmount(dir)) })
	return dir
}
