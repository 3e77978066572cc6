package proc

import (
	"context"
	"slices"
	"time"
)

const (
	// killWait bounds the wait for whoever was killed: a process stuck in the kernel dies only when that lets it go.
	killWait = 5 * time.Second
	// The group is looked at in growing intervals, as no system has an event for its end.
	minGroupPoll = time.Millisecond
	maxGroupPoll = 20 * time.Millisecond
	// lingerPoll is less than the time in which ids of processes come round again.
	lingerPoll = time.Second
)

// Stop ends the process and its group in steps: close stdin, wait Grace.StdinClose, SIGTERM, wait Grace.Terminate,
// SIGKILL. If the leader is gone while others of the group live on, these get SIGTERM and after Grace.Terminate
// SIGKILL; with a Console, which has no stdin to close, not before Stop is called. Those who have left the group get the
// same, within the same Grace.Terminate if the group had to be asked too. The end of ctx, before or during the call,
// skips to SIGKILL. When Stop returns, all goroutines of the process have ended and our pipe ends are closed; a reader of
// stdout that keeps up has got everything.
//
// Calls after the first join it, may hurry it by the end of their own ctx, and return the same record.
func (p *Process) Stop(ctx context.Context) *Exit {
	if ctx.Err() != nil {
		p.hurryUp()
	}
	p.stopOnce.Do(func() { close(p.stopping) })
	select {
	case <-p.cleaned:
	case <-ctx.Done():
		p.hurryUp()
		<-p.cleaned
	}
	p.finishOnce.Do(func() { p.finish(ctx) })
	return p.final
}

// Hasten shortens the waiting times of a stop that has not come to them yet; zero fields stay as they are.
func (p *Process) Hasten(g Grace) { p.haste.Store(&g) }

// grace is what Spec says, or less.
func (p *Process) grace() Grace {
	g := p.spec.Grace
	if h := p.haste.Load(); h != nil {
		if h.StdinClose > 0 {
			g.StdinClose = min(g.StdinClose, h.StdinClose)
		}
		if h.Terminate > 0 {
			g.Terminate = min(g.Terminate, h.Terminate)
		}
	}
	return g
}

func (p *Process) hurryUp() { p.hurryOnce.Do(func() { close(p.hurry) }) }

// finish closes the pipes and joins the goroutines.
func (p *Process) finish(ctx context.Context) {
	p.awaitReader(ctx)
	file, done := p.stderr.file, p.stderr.done
	if p.console != nil {
		file, done = p.console.file, p.console.done
	}
	// Even an ended ctx leaves this much: the tail explains the end, and only a process that has escaped from the
	// group can make it last.
	t := time.NewTimer(p.spec.Grace.Drain)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
	close(p.closing)
	_ = p.shutStdin()
	_ = p.stdout.Close()
	_ = file.Close()
	if p.final.Running {
		// The other two goroutines last until the kernel lets go of the leader, so that it is reaped even then.
		<-done
		return
	}
	p.wg.Wait()
}

// awaitReader waits until stdout is empty, which means that its reader has taken all of it; at most Grace.Drain. The
// console's reader is ours and takes its time.
func (p *Process) awaitReader(ctx context.Context) {
	if p.console != nil {
		if !p.final.Running {
			<-p.drained
		}
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.spec.Grace.Drain)
	defer cancel()
	tick := time.NewTicker(drainPoll)
	defer tick.Stop()
	for unread(p.stdout) > 0 {
		select {
		case <-tick.C:
		case <-p.drained:
			return
		case <-ctx.Done():
			return
		}
	}
}

// step is a state of the stop.
type step int

const (
	stepWatch step = iota
	stepCloseStdin
	stepTerminate
	stepKill
	stepSweep
	stepDone
)

// supervise runs the steps of the stop. It is the only place that signals or reaps: as long as it has not released
// the group, its id cannot pass to a stranger (hashicorp/go-plugin#320).
func (p *Process) supervise() {
	var stages []StageTiming
	for s := stepWatch; s != stepDone; {
		began := time.Now()
		next, name := p.take(s)
		if name != "" {
			stages = append(stages, StageTiming{Name: name, Took: time.Since(began)})
		}
		s = next
	}
	p.settleUp(stages)
	if p.final.Running {
		close(p.cleaned)
		<-p.exited
		p.group.release()
		if now := p.Tree(); now.Known && now.Processes == 0 {
			p.leave()
		}
		return
	}
	p.group.release()
	if len(p.final.Leftover) == 0 {
		p.leave()
	}
	close(p.cleaned)
}

// settleUp completes the record.
func (p *Process) settleUp(stages []StageTiming) {
	running := !p.hasExited()
	leftover := slices.Concat(p.group.members(), p.sweeper.leftover())
	slices.Sort(leftover)
	leftover = slices.Compact(leftover)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.final = p.exit
	if running {
		p.final = &Exit{Code: -1, By: p.by, Uptime: time.Since(p.started), Running: true}
	}
	p.final.Stages, p.final.Leftover = stages, leftover
	p.final.Swept, p.final.Daemons = p.sweeper.ended(), p.sweeper.spared
}

// take performs one step to its end and returns the next one and the name of this one.
func (p *Process) take(s step) (next step, name string) {
	grace := p.grace()
	switch s {
	case stepWatch:
		select {
		case <-p.exited:
		case <-p.stopping:
		}
		p.Snapshot() // the leader's exit cuts the ties
		if p.console != nil {
			p.linger()
		}
		return p.after(stepCloseStdin), ""
	case stepCloseStdin:
		_ = p.CloseStdin()
		p.awaitExit(grace.StdinClose, p.hurry)
		return p.after(stepTerminate), "close stdin"
	case stepTerminate:
		p.Snapshot()
		p.mark(Terminated)
		p.group.terminate()
		p.sweeper.terminate()
		p.awaitGone(grace.Terminate, p.hurry)
		return p.after(stepKill), "terminate"
	case stepKill:
		p.Snapshot()
		p.mark(Killed)
		p.group.kill()
		p.awaitGone(killWait, nil)
		return stepSweep, "kill"
	case stepSweep:
		if p.sweeper.run() {
			name = "sweep"
		}
		return stepDone, name
	default:
		return stepDone, ""
	}
}

// linger leaves what lives on in the group alone until the stop.
func (p *Process) linger() {
	for !groupHeld && !isClosed(p.stopping) {
		if len(p.group.members()) == 0 {
			return // and the id is never used again
		}
		t := time.NewTimer(lingerPoll)
		select {
		case <-t.C:
		case <-p.stopping:
		}
		t.Stop()
	}
	<-p.stopping
}

// after returns the step that is to follow: the given one, unless the group is gone, it must go faster, or the leader is
// gone, in which case there is no use in closing its stdin.
func (p *Process) after(s step) step {
	p.settle()
	exited := p.hasExited()
	switch {
	case exited && len(p.group.members()) == 0:
		return stepSweep
	case isClosed(p.hurry):
		return stepKill
	case exited:
		s = max(s, stepTerminate)
	}
	if p.console != nil { // there is no stdin to close
		s = max(s, stepTerminate)
	}
	if s == stepTerminate && !canTerminate {
		return stepKill
	}
	return s
}

// mark records a step of ours, unless the leader had exited before it.
func (p *Process) mark(by Initiator) {
	p.settle()
	p.mu.Lock()
	p.by = max(p.by, by)
	p.mu.Unlock()
}

// settle waits for the record of a leader that has exited already, so that its exit is not put down to what we do
// next.
func (p *Process) settle() {
	if p.group.leaderGone() {
		<-p.exited
	}
}

func (p *Process) hasExited() bool { return isClosed(p.exited) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// awaitExit waits for the leader.
func (p *Process) awaitExit(d time.Duration, hurry <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
	case <-hurry:
	case <-t.C:
	}
}

// awaitGone waits for the leader and then for the rest of the group.
func (p *Process) awaitGone(d time.Duration, hurry <-chan struct{}) {
	deadline := time.Now().Add(d)
	p.awaitExit(d, hurry)
	for wait := minGroupPoll; p.hasExited() && len(p.group.members()) > 0; wait = min(2*wait, maxGroupPoll) {
		left := time.Until(deadline)
		if left <= 0 {
			return
		}
		t := time.NewTimer(min(wait, left))
		select {
		case <-t.C:
		case <-hurry:
			t.Stop()
			return
		}
	}
}
