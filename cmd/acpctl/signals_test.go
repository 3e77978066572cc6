package main

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// neverHard is for commands that nobody interrupts twice.
func neverHard() *hardStop { return &hardStop{ctx: context.Background()} }

// TestSignalStages sends signals at times and looks which stage that leads to.
func TestSignalStages(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tc := range []struct {
		name             string
		at               []time.Duration // of the signals
		used             bool
		soft, hard, ends bool
		heeded           bool // whether signals are still no ordinary ones, long after
	}{
		{name: "none", heeded: true},
		{name: "one", at: []time.Duration{0}, soft: true, heeded: true},
		{name: "one, by two ways", at: []time.Duration{0, 100 * ms, 200 * ms}, soft: true, heeded: true},
		{name: "two", at: []time.Duration{0, 300 * ms}, used: true, soft: true, hard: true},
		{name: "two, each by two ways", at: []time.Duration{0, 1 * ms, 300 * ms, 301 * ms}, used: true, soft: true, hard: true},
		{name: "two, unused", at: []time.Duration{0, 300 * ms}, soft: true, hard: true, ends: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var ended time.Duration
				began := time.Now()
				soft, w := newSignalWatch(func() { ended = time.Since(began) })
				if tc.used {
					w.hard.use()
				}
				done := make(chan struct{})
				go func() {
					defer close(done)
					w.watch()
				}()
				for _, at := range tc.at {
					<-time.After(time.Until(began.Add(at)))
					w.signals <- os.Interrupt
				}
				<-time.After(time.Minute)
				synctest.Wait()
				assert.Equal(t, tc.soft, soft.Err() != nil)
				assert.Equal(t, tc.hard, w.hard.ctx.Err() != nil)
				if tc.soft {
					assert.ErrorIs(t, context.Cause(soft), context.Canceled)
				}
				if assert.Equal(t, tc.ends, ended != 0) && tc.ends {
					assert.Equal(t, tc.at[1]+hardPatience, ended)
				}
				select {
				case <-done:
					assert.False(t, tc.heeded)
				default:
					assert.True(t, tc.heeded)
				}
				close(w.over)
				<-done
			})
		})
	}
}

func TestSignalWatchEndsBetweenStages(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		synctest.Test(t, func(t *testing.T) {
			_, w := newSignalWatch(func() { t.Error("the process is ended") })
			go w.watch()
			for range n {
				w.signals <- os.Interrupt
				<-time.After(2 * signalEcho)
			}
			close(w.over) // a goroutine that is left would be a deadlock
		})
	}
}
