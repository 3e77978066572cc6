package acp

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// letters returns n letters whose texts count from first.
func letters(first, n int) []letter {
	out := make([]letter, n)
	for i := range out {
		params := fmt.Appendf(nil, `{"sessionId":"s","update":{"sessionUpdate":"plan","n":%d}}`, first+i)
		out[i] = letter{
			params: params, from: 25, to: uint32(len(params) - 1), kind: KindPlan,
			seq: uint64(first + i), late: i%2 == 0, bad: i%3 == 0,
		}
	}
	return out
}

func TestBatchSurvivesTheDisk(t *testing.T) {
	s, err := newSegment(t.TempDir())
	require.NoError(t, err)
	defer s.unref()
	for _, n := range []int{1, 2, 1000} {
		want := letters(n, n)
		data := encodeBatch(want)
		offset, err := s.append(data)
		require.NoError(t, err)
		b := &batch{count: n, segment: s, offset: offset, length: len(data)}
		got, err := readBatch(b)
		require.NoError(t, err)
		require.Len(t, got, n)
		for i := range got {
			assert.Equal(t, want[i], got[i])
		}
		for _, cut := range []int{1, len(data) / 2, len(data) - 1} {
			_, err = readBatch(&batch{count: n, segment: s, offset: offset, length: cut})
			assert.ErrorIs(t, err, errSpillFormat)
		}
	}
}

// TestBatchTakenWhileItIsWritten has the consumer overwrite what it took, as consumers do, while the goroutine writes.
func TestBatchTakenWhileItIsWritten(t *testing.T) {
	log := newSpillLog(Buffers{Dir: t.TempDir()}, func(err error) { assert.NoError(t, err) })
	defer func() {
		log.stop()
		log.wait()
		assert.Zero(t, log.memory.Load())
		assert.Zero(t, log.spilled)
		assert.Zero(t, log.waiting)
	}()
	for round := range 500 {
		batches := make([]*batch, 3)
		for i := range batches {
			run := letters(round*1000+i*100, 100)
			var size int64
			for k := range run {
				size += run[k].size()
			}
			log.memory.Add(size)
			batches[i] = log.take(run, size, nil)
		}
		for i, b := range batches {
			if i == 1 {
				log.drop(b)
				continue
			}
			got, size := log.open(b)
			require.Len(t, got, 100)
			for k := range got {
				require.Equal(t, uint64(round*1000+i*100+k), got[k].seq)
				got[k] = letter{}
			}
			log.release(size)
		}
	}
}
