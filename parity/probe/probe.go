package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// Subject is what is observed.
type Subject struct {
	Name      string
	Connector provider.Connector
	// Descriptor is what is known of the subject, nil for a bare command.
	Descriptor *backends.Descriptor
}

// Options configure [Observe]. The zero value works.
type Options struct {
	// Connect says how to start the agent. Its Dir, Stop and Started, and the timeouts of its Client, are the probe's own.
	Connect provider.ConnectOptions
	// Timeout is for everything, 60 s by default.
	Timeout time.Duration
	// Progress is told what the probe is about to do, from the calling goroutine. May be nil.
	Progress func(phase acp.Phase)
}

// DefaultTimeout bounds the observation of one subject unless the caller says otherwise.
const DefaultTimeout = 60 * time.Second

// Observe starts the subject, asks it for a session in a fresh empty folder, stops it, and reports. It returns within
// the timeout, and leaves no process of the subject's group behind.
func Observe(ctx context.Context, s Subject, opts *Options) *Observation {
	if opts == nil {
		opts = &Options{}
	}
	timeout := opts.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout-killTime(timeout))
	defer cancel()
	o := &observer{
		opts: opts, began: time.Now(), timeout: timeout,
		seen: &Observation{Subject: s.Name},
	}
	if s.Descriptor != nil {
		_, o.seen.Verified = s.Descriptor.Verified()
	}
	o.observe(ctx, s)
	o.seen.Timings.Total = ms(time.Since(o.began))
	return o.seen
}

type observer struct {
	opts    *Options
	began   time.Time
	timeout time.Duration
	seen    *Observation

	launched time.Time
	answered time.Time // when initialize was

	mu         sync.Mutex
	firstFrame time.Time // of ours
}

// tap notes when the first byte could be written, which is when the process was up.
func (o *observer) tap(f acp.TapFrame) {
	o.mu.Lock()
	if f.Dir == acp.ToAgent && o.firstFrame.IsZero() {
		o.firstFrame = f.Time
	}
	o.mu.Unlock()
	if tap := o.opts.Connect.Client.Tap; tap != nil {
		tap(f)
	}
}

func (o *observer) progress(phase acp.Phase) {
	if o.opts.Progress != nil {
		o.opts.Progress(phase)
	}
}

// hasteBelow is the reserve that the patience of an ordinary stop fits into after a failed start.
const hasteBelow = 1500 * time.Millisecond

// reserve is the part of the timeout that is kept for stopping the process.
func (o *observer) reserve() time.Duration {
	return max(min(o.timeout/5, 8*time.Second), min(o.timeout/2, hasteBelow))
}

// grace is the patience of a stop that has to fit into the reserve.
func (o *observer) grace() acp.StopGrace {
	reserve := o.reserve()
	if reserve >= hasteBelow {
		return acp.StopGrace{}
	}
	return acp.StopGrace{StdinClose: reserve / 4, Terminate: reserve / 4}
}

// killTime is the end of the timeout, when nothing is left but to kill and to see it die.
func killTime(timeout time.Duration) time.Duration { return min(timeout/20, 250*time.Millisecond) }

func (o *observer) observe(ctx context.Context, s Subject) {
	work, cancel := context.WithTimeoutCause(ctx, o.timeout-o.reserve(),
		&overdueError{o.timeout - o.reserve(), o.timeout})
	defer cancel()
	dir, err := os.MkdirTemp("", "acpharness-probe-")
	if err != nil {
		o.fail(acp.PhaseSpawn, fmt.Errorf("cannot make an empty folder for the session: %w", err))
		return
	}
	defer os.RemoveAll(dir)
	o.progress(acp.PhaseResolve)
	connect := o.opts.Connect
	connect.Client.Tap = o.tap
	connect.Client.Timeouts = acp.Timeouts{Spawn: -1, Initialize: -1, NewSession: -1} // the one timeout is the bound
	connect.Dir, connect.Stop = dir, o.grace()
	connect.Started = func(command []string) {
		o.seen.Command = command
		o.launched = time.Now()
		o.progress(acp.PhaseInitialize)
	}
	p, err := s.Connector.Connect(work, &connect)
	if err != nil {
		o.startFailed(err)
		return
	}
	o.initialized(p.Conn())
	if s.Descriptor != nil {
		declared := p.Capabilities()
		ruling := declared.Trust(backends.TrustHotReload)
		o.seen.Declared = &Declared{
			Version: declared.Version().String(), McpConfigHotReload: p.McpConfigHotReload(),
			UnverifiedAbove: declared.MCPEdit(backends.EditAdd).UnverifiedAbove, Reason: ruling.Reason,
		}
	}
	o.progress(acp.PhaseSession)
	o.session(work, p.Conn(), dir)
	if t := p.Conn().Tree(); t.Known {
		o.seen.Tree = &Tree{Processes: t.Processes, RSS: t.RSS}
	}
	o.progress("stop")
	o.stop(ctx, p)
}

func (o *observer) initialized(conn *acp.Conn) {
	o.answered = time.Now()
	seen := o.seen
	seen.Initialized = true
	info := conn.Agent()
	seen.Agent = Agent{info.Name, info.Title, info.Version}
	seen.Capabilities = conn.Capabilities().Raw
	seen.ProtocolVersion = conn.ProtocolVersion()
	for _, m := range conn.AuthMethods() {
		seen.AuthMethods = append(seen.AuthMethods, AuthMethod{ID: m.ID, Name: m.Name, Type: string(m.Kind())})
	}
}

func (o *observer) session(ctx context.Context, conn *acp.Conn, dir string) {
	seen := o.seen
	began := time.Now()
	s, err := conn.NewSession(ctx, dir, &acp.SessionOptions{NoUpdates: true})
	seen.Timings.Session = ms(time.Since(began))
	if err == nil {
		seen.Outcome = OK
		seen.Session = &Session{Opened: true}
		if modes := s.Modes(); modes != nil {
			seen.Session.CurrentMode = modes.Current
			for _, m := range modes.Available {
				seen.Session.Modes = append(seen.Session.Modes, m.ID)
			}
		}
		for _, option := range s.ConfigOptions() {
			seen.Session.ConfigOptions = append(seen.Session.ConfigOptions, option.ID)
		}
		closing, cancel := context.WithTimeout(ctx, o.reserve())
		defer cancel()
		_ = s.Close(closing) // how the process stops is the next question; a session it keeps is its own affair
		return
	}
	seen.Session = &Session{Error: err.Error()}
	if rpc, ok := errors.AsType[*acp.Error](err); ok {
		seen.Session.ErrorCode = int64(rpc.Code)
	}
	if acp.IsAuthRequired(err) {
		seen.Outcome = AuthRequired
		return
	}
	o.fail(acp.PhaseSession, err)
}

func (o *observer) stop(ctx context.Context, p provider.Provider) {
	conn := p.Conn()
	began := time.Now()
	err := p.Close(ctx)
	o.seen.Timings.Stop = ms(time.Since(began))
	o.timeStart()
	o.seen.Noise = Noise{Lines: conn.Counters().Noise, Sample: conn.Noise()}
	o.ended(conn.Exit())
	if err != nil && o.seen.Error == "" {
		o.seen.Error = err.Error()
	}
	if o.seen.Outcome != OK && o.seen.Outcome != AuthRequired {
		o.seen.Stderr = conn.StderrTail()
	}
}

// timeStart fills in the timings of the start. It needs the tap to have seen everything, which the end of the connection
// makes sure of: the tap may well see the first frame later than the answer to it is here.
func (o *observer) timeStart() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.firstFrame.IsZero() {
		return
	}
	o.seen.Timings.Spawn = ms(o.firstFrame.Sub(o.launched))
	o.seen.Timings.Initialize = ms(o.answered.Sub(o.firstFrame))
}

func (o *observer) startFailed(err error) {
	start, ok := errors.AsType[*acp.StartError](err)
	if !ok {
		o.fail(acp.PhaseSpawn, err)
		return
	}
	o.fail(start.Phase, err)
	if version, ok := errors.AsType[*acp.ProtocolVersionError](err); ok {
		o.seen.ProtocolVersion = version.Got
	}
	o.seen.Stderr = start.Stderr
	o.seen.Noise = Noise{Lines: start.NoiseLines, Sample: start.Noise}
	o.ended(start.Exit)
}

// fail records an error and what kind of failure it is.
func (o *observer) fail(phase acp.Phase, err error) {
	seen := o.seen
	seen.Phase, seen.Error = string(phase), err.Error()
	if start, ok := errors.AsType[*acp.StartError](err); ok {
		seen.Kind, seen.Hint = string(start.Kind()), start.Hint()
	}
	missing, notFound := errors.AsType[*provider.NotFoundError](err)
	switch {
	case notFound:
		seen.Outcome = NotFound
		if missing.Install != "" {
			seen.Hint = "install it with: " + missing.Install
		}
	case acp.IsAuthRequired(err):
		seen.Outcome = AuthRequired
	case errors.Is(err, acp.ErrEcho), errors.Is(err, acp.ErrNotACP):
		seen.Outcome = NotACP
	case errors.Is(err, context.DeadlineExceeded):
		seen.Outcome = Timeout
	default:
		seen.Outcome = StartFailed
	}
}

func (o *observer) ended(exit *acp.Exit) {
	if exit == nil {
		return
	}
	stop := &Stop{How: exit.String(), ExitCode: exit.Code, Signal: exit.Signal, By: exit.By, Leftover: exit.Leftover}
	stop.Swept, stop.Daemons = members(exit.Swept), members(exit.Daemons)
	for _, stage := range exit.Stages {
		stop.Steps = append(stop.Steps, stage.Name)
	}
	o.seen.Stop = stop
}

// overdueError says that a subject took too long. It is a context.DeadlineExceeded.
type overdueError struct{ work, timeout time.Duration }

func (e *overdueError) Error() string {
	return fmt.Sprintf("nothing within %v of the timeout of %v, the rest is kept for stopping the process", e.work, e.timeout)
}

func (*overdueError) Is(target error) bool { return target == context.DeadlineExceeded }

func members(list []acp.TreeMember) []string {
	var out []string
	for _, m := range list {
		out = append(out, fmt.Sprintf("%d %s", m.PID, m.Name))
	}
	return out
}
