package ndjson_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/ndjson"
)

const stall = 10 * time.Second

// TestStall has a peer that takes nothing, or so much and no more.
func TestStall(t *testing.T) {
	tests := []struct {
		name    string
		stall   time.Duration
		takes   int // bytes the peer reads before it stops
		want    time.Duration
		wantMax time.Duration
	}{
		{name: "TakesNothing", stall: stall, want: stall, wantMax: stall},
		{name: "DefaultStall", stall: 0, want: ndjson.DefaultStall, wantMax: ndjson.DefaultStall},
		{name: "TakesAPart", stall: time.Minute, takes: 100, want: time.Minute, wantMax: 2 * time.Minute},
		{name: "TakesAStep", stall: time.Minute, takes: 64 << 10, want: time.Minute, wantMax: time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				defer ours.Close()
				defer theirs.Close()
				if tt.takes > 0 {
					go func() { _, _ = io.ReadFull(theirs, make([]byte, tt.takes)) }()
				}
				frame := append(line(200_000), '\n')
				begin := time.Now()
				err := ndjson.NewWriter(ours, tt.stall).WriteFrame(frame)
				var stalled *ndjson.StallError
				require.ErrorAs(t, err, &stalled)
				assert.Equal(t, tt.takes, stalled.Written)
				assert.Equal(t, len(frame), stalled.Total)
				assert.Equal(t, tt.want, stalled.Stall)
				assert.GreaterOrEqual(t, time.Since(begin), tt.want)
				assert.LessOrEqual(t, time.Since(begin), tt.wantMax)
			})
		})
	}
}

// TestSlowPeerIsNoStall has a peer that needs far longer than the stall for a frame, but always takes something.
func TestSlowPeerIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		frame := append(line(1000), '\n')
		var got []byte
		read := make(chan struct{})
		go func() {
			defer close(read)
			tick := time.NewTicker(stall - time.Second)
			defer tick.Stop()
			part := make([]byte, 10)
			for {
				<-tick.C
				n, err := theirs.Read(part)
				got = append(got, part[:n]...)
				if err != nil {
					return
				}
			}
		}()
		begin := time.Now()
		require.NoError(t, ndjson.NewWriter(ours, stall).WriteFrame(frame))
		assert.Greater(t, time.Since(begin), 50*stall)
		require.NoError(t, ours.Close())
		<-read
		assert.Equal(t, frame, got)
	})
}

// TestNegativeStallWaits has a peer that comes after days.
func TestNegativeStallWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		done := make(chan []byte)
		go func() {
			<-time.After(100 * time.Hour)
			got, _ := io.ReadAll(theirs)
			done <- got
		}()
		require.NoError(t, ndjson.NewWriter(ours, -1).WriteFrame([]byte("{}\n")))
		require.NoError(t, ours.Close())
		assert.Equal(t, "{}\n", string(<-done))
	})
}

// TestPipe fills a real pipe until its peer's buffer is full.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	if err := w.SetWriteDeadline(time.Time{}); err != nil {
		t.Skipf("pipes have no deadlines here: %v", err)
	}
	frame := append(line(4<<20), '\n')
	var stalled *ndjson.StallError
	require.ErrorAs(t, ndjson.NewWriter(w, 20*time.Millisecond).WriteFrame(frame), &stalled)
	assert.Positive(t, stalled.Written)
	assert.Less(t, stalled.Written, len(frame))
	assert.Contains(t, stalled.Error(), "the peer took no byte for 20ms")
}

func TestWriteIsWhole(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	frame := append(line(4<<20), '\n')
	done := make(chan error, 1)
	go func() {
		defer w.Close()
		done <- ndjson.NewWriter(w, 0).WriteFrame(frame)
	}()
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, <-done)
	assert.True(t, bytes.Equal(frame, got))
}

func TestClosedWriter(t *testing.T) {
	t.Run("OurEnd", func(t *testing.T) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		require.NoError(t, w.Close())
		assert.ErrorIs(t, ndjson.NewWriter(w, 0).WriteFrame([]byte("{}\n")), os.ErrClosed)
	})
	t.Run("TheirEnd", func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		require.NoError(t, theirs.Close())
		err := ndjson.NewWriter(ours, 0).WriteFrame([]byte("{}\n"))
		assert.ErrorIs(t, err, io.ErrClosedPipe)
	})
	t.Run("WhileWriting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer theirs.Close()
			done := make(chan error, 1)
			go func() { done <- ndjson.NewWriter(ours, -1).WriteFrame([]byte("{}\n")) }()
			synctest.Wait()
			require.NoError(t, ours.Close())
			assert.ErrorIs(t, <-done, io.ErrClosedPipe)
		})
	})
}

// writerFunc is a writer without deadlines.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestWriterWithoutDeadlines(t *testing.T) {
	full := errors.New("no space left")
	tests := []struct {
		name  string
		write writerFunc
		want  error
	}{
		{"Takes", func(p []byte) (int, error) { return len(p), nil }, nil},
		{"TakesOneByOne", func([]byte) (int, error) { return 1, nil }, nil},
		{"Fails", func([]byte) (int, error) { return 1, full }, full},
		{"TakesNothing", func([]byte) (int, error) { return 0, nil }, io.ErrShortWrite},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := ndjson.NewWriter(tt.write, stall).WriteFrame([]byte("{\"id\":1}\n"))
			if tt.want == nil {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, tt.want)
			}
		})
	}
}
