package ndjson_test

import (
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/ndjson"
)

// heapWatch wraps a source and notes the highest heap between its reads. every is how many reads lie between two
// looks.
type heapWatch struct {
	src   io.Reader
	every int
	reads int
	base  uint64
	peak  uint64
}

func watchHeap(src io.Reader, every int) *heapWatch {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return &heapWatch{src: src, every: every, base: m.HeapAlloc, peak: m.HeapAlloc}
}

func (h *heapWatch) Read(p []byte) (int, error) {
	if h.reads%h.every == 0 {
		h.look()
	}
	h.reads++
	return h.src.Read(p)
}

func (h *heapWatch) look() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.peak = max(h.peak, m.HeapAlloc)
}

func (h *heapWatch) growth() int { return int(h.peak - h.base) }

// TestEndlessLine_rustsdk340 feeds a line that never ends.
func TestEndlessLine_rustsdk340(t *testing.T) {
	const limit = 1 << 20
	src := &repeated{fill: 'x', size: 1 << 30}
	heap := watchHeap(src, 8)
	events := readAll(ndjson.NewReader(heap, limit))
	require.Len(t, events, 1)
	assert.NotNil(t, events[0].Endless)
	assert.Less(t, heap.growth(), limit+4<<20)
	assert.Less(t, src.read, 5*limit, "the rest of the line need not be read")
}

// TestLongLinesInARow_rustsdk340 has a line over the cap again and again; none of them may leave anything behind.
func TestLongLinesInARow_rustsdk340(t *testing.T) {
	const limit, lines = 1 << 20, 32
	var sources []io.Reader
	for range lines {
		sources = append(sources, &repeated{fill: 'x', size: 3 * limit}, &repeated{fill: '\n', size: 1})
	}
	heap := watchHeap(io.MultiReader(sources...), 16)
	events := readAll(ndjson.NewReader(heap, limit))
	require.Len(t, events, lines+1)
	for _, e := range events[:lines] {
		require.NotNil(t, e.TooLong)
		require.Equal(t, 3*limit, e.TooLong.Length)
	}
	runtime.GC()
	heap.look()
	assert.Less(t, heap.growth(), 16<<20)
}

// TestLineAtTheDefaultCap measures the largest line there is: it costs its length and a constant.
func TestLineAtTheDefaultCap(t *testing.T) {
	src := io.MultiReader(&repeated{fill: 'x', size: ndjson.DefaultMaxLine}, &repeated{fill: '\n', size: 1}, &repeated{fill: 'y', size: 1})
	heap := watchHeap(src, 1)
	r := ndjson.NewReader(heap, 0)
	got, err := r.Next()
	require.NoError(t, err)
	heap.look()
	assert.Len(t, got, ndjson.DefaultMaxLine)
	assert.Less(t, heap.growth(), ndjson.DefaultMaxLine+24<<20)

	got, err = r.Next()
	require.NoError(t, err)
	assert.Equal(t, "y", string(got))
	_, err = r.Next()
	require.Equal(t, io.EOF, err)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	assert.Less(t, int(m.HeapAlloc)-int(heap.base), 1<<20, "the huge line's buffer must not stay")
	runtime.KeepAlive(r)
}
