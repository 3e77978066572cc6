package probe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/acp"
)

// TestStartIsTimedByTheFirstFrameOfOurs also has the tap see it late, as it runs on a goroutine of its own.
func TestStartIsTimedByTheFirstFrameOfOurs(t *testing.T) {
	t.Parallel()
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	o := &observer{opts: &Options{}, seen: &Observation{}, launched: at(0), answered: at(50)}
	o.tap(acp.TapFrame{Dir: acp.FromAgent, Time: at(5)})
	o.timeStart()
	assert.Zero(t, o.seen.Timings, "a frame that was not seen is no frame of the year 1")
	o.tap(acp.TapFrame{Dir: acp.ToAgent, Time: at(20)})
	o.tap(acp.TapFrame{Dir: acp.ToAgent, Time: at(60)})
	o.timeStart()
	assert.Equal(t, Timings{Spawn: 20, Initialize: 30}, o.seen.Timings)
}
