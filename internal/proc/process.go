package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// Process is one running or ended child and its group. All methods may be called from several goroutines.
//
// Start begins these goroutines, all joined by Stop and, but for a Console's, all ending by themselves some time after the
// leader's exit:
//   - watch waits for the leader, then lets readers drain the pipes and unblocks them;
//   - supervise takes the steps of the stop, clears the group, sweeps outside it and reaps the leader;
//   - stderrSink.read reads stderr;
//   - console.read reads all of the output instead.
type Process struct {
	spec    *Spec
	pid     int
	group   *group
	tree    *lineage
	sweeper *sweeper // belongs to supervise
	entry   string   // our file in the ledger, or ""
	stdin   *os.File
	stdout  *os.File
	stderr  *stderrSink
	console *console // or nil; then there is no stdin, stdout or stderr
	started time.Time

	wg       sync.WaitGroup
	exited   chan struct{} // leader seen to exit; closed by watch
	drained  chan struct{} // pipes unblocked, or the console's settled; closed by watch
	stopping chan struct{} // stop asked for; closed by Stop
	hurry    chan struct{} // kill now; closed by Stop
	cleaned  chan struct{} // group gone or given up, final set; closed by supervise
	closing  chan struct{} // pipes are being closed; closed by finish

	stopOnce, hurryOnce, stdinOnce, finishOnce sync.Once

	haste atomic.Pointer[Grace] // shorter waiting times, see Hasten

	final *Exit // what Stop returns; set before cleaned is closed

	mu   sync.Mutex
	by   Initiator // our last step while the leader was running
	exit *Exit     // nil while the leader runs
}

// Start starts the process. The error is always a *StartError.
func Start(spec *Spec) (*Process, error) {
	if spec == nil {
		return nil, &StartError{Other, "", errors.New("no spec")}
	}
	s, err := spec.resolve()
	if err != nil {
		return nil, err
	}
	pp, err := openPipes(s.Console)
	if err != nil {
		return nil, &StartError{Other, spec.Path, err}
	}
	cmd := &exec.Cmd{
		Path: s.Path, Args: append([]string{s.Path}, s.Args...), Env: s.Env, Dir: s.Dir,
		// Pipes of our own: those of exec lose the tail when Wait comes before the last read (golang/go#19685).
		Stdin: pp.childIn, Stdout: pp.childOut, Stderr: pp.childErr,
		SysProcAttr: sysProcAttr(s),
	}
	nonce := newNonce()
	cmd.Env = withNonce(cmd.Environ(), nonce)
	if err := cmd.Start(); err != nil {
		pp.closeChild()
		pp.closeOurs()
		return nil, diagnose(spec.Path, err)
	}
	started := time.Now()
	pp.closeChild()
	g, err := newGroup(cmd)
	if err != nil {
		pp.closeOurs()
		return nil, &StartError{Other, spec.Path, err}
	}
	pid := cmd.Process.Pid
	leader, _ := identify(pid) // without it, the tree is the group
	p := &Process{
		spec: s, pid: pid, group: g, started: started, tree: &lineage{nonce: nonce, leader: leader, pgid: pid},
		stdin: pp.in, stdout: pp.out, stderr: newStderrSink(pp.err, s.StderrTail, s.OnStderr),
		exited: make(chan struct{}), drained: make(chan struct{}), stopping: make(chan struct{}),
		hurry: make(chan struct{}), cleaned: make(chan struct{}), closing: make(chan struct{}),
	}
	p.sweeper = &sweeper{tree: p.tree, daemons: s.Daemons, grace: s.Grace.Terminate, hurry: p.hurry}
	if s.KillDaemons {
		p.sweeper.daemons = nil
	}
	p.enter()
	if s.Console != nil {
		p.console = newConsole(pp.console, s.Console)
		p.wg.Go(p.console.read)
	}
	p.wg.Go(p.stderr.read) // which ends at once if there is none
	p.wg.Go(p.watch)
	p.wg.Go(p.supervise)
	return p, nil
}

// PID returns the process id of the leader, which on unix is also the id of its group. It may belong to a stranger
// once the process has ended, so it is for reports, not for signals.
func (p *Process) PID() int { return p.pid }

// Stdin returns our end of the child's stdin. Write deadlines work on unix. It is closed when the leader exits; a
// write then fails with an error for which errors.Is(err, os.ErrClosed) or EPIPE holds. Close it with CloseStdin. With a
// Console it is nil.
func (p *Process) Stdin() *os.File { return p.stdin }

// Stdout returns our end of the child's stdout. Read deadlines work on unix, but the caller must not move the
// deadline once Exited is closed: when Grace.Drain has passed after the leader's exit, reads fail with
// os.ErrDeadlineExceeded (os.ErrClosed on Windows) even though a grandchild still holds the pipe (golang/go#23019).
// Stop closes it. With a Console it is nil.
func (p *Process) Stdout() *os.File { return p.stdout }

// CloseStdin closes the child's stdin; a write in progress fails. Calls after the first do nothing.
func (p *Process) CloseStdin() error {
	if p.stdin == nil {
		return nil
	}
	p.mark(StdinClosed)
	return p.shutStdin()
}

// shutStdin closes stdin without taking the blame for what follows.
func (p *Process) shutStdin() (err error) {
	p.stdinOnce.Do(func() {
		if err = p.stdin.Close(); errors.Is(err, os.ErrClosed) {
			err = nil
		}
	})
	return err
}

// Exited is closed when the leader has exited; from then on Exit returns its record. Other processes of the group may
// still be alive, and output may be left to read.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Settled is closed when, after the leader's exit, Console.Output has got all that the leader had written. Output of
// others in the tree may still come.
func (p *Process) Settled() <-chan struct{} { return p.drained }

// Exit returns a copy of the record, or nil while the leader runs.
func (p *Process) Exit() *Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exit == nil {
		return nil
	}
	return p.exit.clone()
}

// Wait waits for the leader's exit without causing it, and returns a copy of the record. The error is that of ctx.
func (p *Process) Wait(ctx context.Context) (*Exit, error) {
	select {
	case <-p.exited:
		return p.Exit(), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("cannot wait for process %d: %w", p.pid, context.Cause(ctx))
	}
}

// StderrTail returns the end of what was written to stderr so far, as valid UTF-8.
func (p *Process) StderrTail() string { return p.stderr.tail() }

// StderrMark marks how much was written to stderr so far, for StderrLines.
func (p *Process) StderrMark() int64 { return p.stderr.mark() }

// StderrLines returns the lines that were written to stderr between two marks, as valid UTF-8 and as far as the tail still has
// them. The line that a mark is in is the first's as a whole and not the second's, unless nothing came after that.
func (p *Process) StderrLines(from, to int64) string { return p.stderr.lines(from, to) }

// FlushStderr waits until nothing more will be added to the tail: end of file, Grace.Drain after the leader's exit, or
// the end of ctx.
func (p *Process) FlushStderr(ctx context.Context) {
	select {
	case <-p.stderr.done:
	case <-ctx.Done():
	}
}
