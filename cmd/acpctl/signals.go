package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// signalEcho is how far the two ways of one signal may lie apart: a terminal or a service manager sends one to all of a
	// group, and who has started this program passes it on.
	signalEcho = 250 * time.Millisecond
	// hardPatience is how long after the second signal a command may go on that does not know of it.
	hardPatience = 2 * time.Second
)

// hardStop is the second stage of an interrupt: nothing is waited for any more, and nothing is left behind.
type hardStop struct {
	ctx  context.Context // ends with the second signal
	used atomic.Bool
}

// use returns the context that ends with the second signal. Who asks for it sees to the end, and is not ended before.
func (h *hardStop) use() context.Context {
	h.used.Store(true)
	return h.ctx
}

// signalWatch makes stages of the signals that ask this program to end.
type signalWatch struct {
	signals chan os.Signal
	over    chan struct{} // closed when nobody cares any more
	soften  context.CancelCauseFunc
	harden  context.CancelFunc
	hard    *hardStop
	end     func()
}

// heedSignals returns a context that ends with the first signal, and what ends with the second. The third one ends the
// process the ordinary way, and so does end if the command does not use the second stage.
func heedSignals(end func()) (soft context.Context, hard *hardStop, stop func()) {
	soft, w := newSignalWatch(end)
	signal.Notify(w.signals, os.Interrupt, syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.watch()
	}()
	return soft, w.hard, func() {
		close(w.over)
		<-ended
	}
}

func newSignalWatch(end func()) (context.Context, *signalWatch) {
	soft, soften := context.WithCancelCause(context.Background())
	hard, harden := context.WithCancel(context.Background())
	return soft, &signalWatch{
		signals: make(chan os.Signal, 8), over: make(chan struct{}),
		soften: soften, harden: harden, hard: &hardStop{ctx: hard}, end: end,
	}
}

// watch takes the signals until they are none of its business any more.
func (w *signalWatch) watch() {
	defer signal.Stop(w.signals)
	select {
	case s := <-w.signals:
		w.soften(fmt.Errorf("%v: %w", s, context.Canceled))
	case <-w.over:
		return
	}
	w.wait(signalEcho)
	select {
	case <-w.signals:
		w.harden()
	case <-w.over:
		return
	}
	w.wait(signalEcho)
	signal.Stop(w.signals)
	if w.wait(hardPatience-signalEcho) && !w.hard.used.Load() {
		w.end()
	}
}

// wait lets time pass in which signals do not count, and reports whether it has all passed.
func (w *signalWatch) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-w.signals:
		case <-timer.C:
			return true
		case <-w.over:
			return false
		}
	}
}
