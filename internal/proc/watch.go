package proc

import (
	"os"
	"slices"
	"time"
)

const (
	// maxDrain bounds the extra time of a reader that is behind.
	maxDrain = 5 * time.Second
	// drainPoll is the interval at which the fill of a pipe is looked at.
	drainPoll = 2 * time.Millisecond
)

// watch waits for the leader, publishes its record and ends the reading of the pipes.
func (p *Process) watch() {
	st := p.group.awaitLeader()
	p.mu.Lock()
	p.exit = &Exit{Code: st.code, Signal: st.signal, By: p.by, Uptime: time.Since(p.started)}
	p.mu.Unlock()
	close(p.exited)
	defer close(p.drained)
	if p.console != nil {
		p.console.settle(p.spec.Grace.Drain, p.closing)
		return
	}
	// Nobody is left to read it; a blocked write must not stay blocked because a grandchild holds the other end.
	_ = p.shutStdin()
	p.drain()
}

// drain lets the pipes be read for Grace.Drain and then unblocks their readers, whoever still holds the other end
// (golang/go#23019). A pipe that is not empty yet has a slow reader, not a blocked one, and gets more time, so that
// the last message before the exit is not lost.
func (p *Process) drain() {
	if !p.pause(p.spec.Grace.Drain) {
		return
	}
	limit := time.Now().Add(maxDrain)
	open := []*os.File{p.stdout, p.stderr.file}
	for {
		open = slices.DeleteFunc(open, func(f *os.File) bool {
			if unread(f) > 0 && time.Now().Before(limit) {
				return false
			}
			unblock(f)
			return true
		})
		if len(open) == 0 || !p.pause(drainPoll) {
			return
		}
	}
}

// pause waits for d; it returns false if the pipes are being closed.
func (p *Process) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.closing:
		return false
	}
}
