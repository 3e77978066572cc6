package terminal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/internal/proc"
)

const (
	defaultMaxOutput = 1 << 20
	defaultKillGrace = 2 * time.Second
	defaultDrain     = 500 * time.Millisecond
	defaultColumns   = 80
	defaultRows      = 24
)

var (
	// ErrOutputLimit is wrapped by the error of a request with a negative output limit.
	ErrOutputLimit = errors.New("the output limit is negative")
	// ErrEnv is wrapped by the error of a request with an environment variable that cannot be set.
	ErrEnv = errors.New("no valid environment variable")
	// ErrNoPTY is wrapped by the error of a request for which the system has no terminal to give. Windows never has.
	ErrNoPTY = proc.ErrNoPTY
)

// Options say how commands are run. The zero value is good.
type Options struct {
	// Env is the environment as KEY=VALUE, to which that of a request is added; nil means this program's at that time.
	Env []string
	// Shell says what is done with a shell line in place of a command.
	Shell Shell
	// ShellPath is the shell that runs it: an absolute path, or a name that is looked up like a command. Empty means sh,
	// on Windows cmd. Any other shell gets the line after -c.
	ShellPath string
	// AnyDir lets commands start in any directory. Otherwise it must be in the session's or in one of Dirs.
	AnyDir bool
	Dirs   []string
	// MaxOutput is how many bytes of output are kept if the agent does not want fewer; 0 means 1 MiB.
	MaxOutput int
	// PTY makes the output of commands a terminal of Columns and Rows, 80 and 24 if 0. Unix only.
	PTY           bool
	Columns, Rows uint16
	// KillGrace is how long a command and what it has started have to end after SIGTERM before they get SIGKILL; 0 means
	// 2 s, negative no time at all.
	KillGrace time.Duration
	// Drain is how long the end of the output is waited for when the command has ended, which others may hold up; 0 means
	// 500 ms. What the command itself had written is there in any case.
	Drain time.Duration
	// StateDir is the folder of the ledger in which commands stand as long as they live, see acp.CommandTransport; empty
	// keeps none.
	StateDir string
	// Logger receives what cannot be reported otherwise; nil discards.
	Logger *slog.Logger
}

// Host runs commands for any number of sessions. It is an acp.TerminalHandler, has no state, and is used side by side.
type Host struct{ opts Options }

// New returns a host. Nil options are good ones.
func New(opts *Options) *Host {
	h := &Host{}
	if opts != nil {
		h.opts = *opts
	}
	o := &h.opts
	if o.MaxOutput <= 0 {
		o.MaxOutput = defaultMaxOutput
	}
	if o.KillGrace == 0 {
		o.KillGrace = defaultKillGrace
	}
	if o.Drain == 0 {
		o.Drain = defaultDrain
	}
	if o.Columns == 0 {
		o.Columns = defaultColumns
	}
	if o.Rows == 0 {
		o.Rows = defaultRows
	}
	return h
}

// CreateTerminal implements acp.TerminalHandler. The error wraps a *NotFoundError, a *DirError, ErrOutputLimit, ErrEnv or
// ErrNoPTY, or says why the system did not start the command. It has no value of an environment variable in it but the
// directories of PATH.
func (h *Host) CreateTerminal(ctx context.Context, req *acp.CreateTerminalRequest) (acp.HostedTerminal, error) {
	t, err := h.create(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("cannot create terminal: %w", err)
	}
	return t, nil
}

func (h *Host) create(ctx context.Context, req *acp.CreateTerminalRequest) (*hosted, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limit, err := h.limit(req.OutputByteLimit)
	if err != nil {
		return nil, err
	}
	if err := h.checkDir(req); err != nil {
		return nil, err
	}
	env, err := h.environment(req.Env)
	if err != nil {
		return nil, err
	}
	cmd, err := h.resolve(req, env)
	if err != nil {
		return nil, err
	}
	out := newRing(limit)
	console := &proc.Console{Output: out.write}
	if h.opts.PTY {
		console.Terminal = &proc.WindowSize{Columns: h.opts.Columns, Rows: h.opts.Rows}
	}
	process, err := proc.Start(&proc.Spec{
		Path: cmd.path, Args: cmd.args, RawArgs: cmd.raw, Env: env, Dir: req.CWD, Console: console,
		Grace:    proc.Grace{Terminate: h.opts.KillGrace, Drain: h.opts.Drain},
		StateDir: h.opts.StateDir, Label: "terminal", Logger: h.opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	return &hosted{process: process, out: out, released: make(chan struct{})}, nil
}

// limit is how many bytes of output are kept: no agent has a say in how much memory this program uses
// (openclaw/acpx#556).
func (h *Host) limit(asked *int64) (int, error) {
	switch {
	case asked == nil:
		return h.opts.MaxOutput, nil
	case *asked < 0:
		return 0, fmt.Errorf("%w: %d", ErrOutputLimit, *asked)
	}
	return int(min(*asked, int64(h.opts.MaxOutput))), nil
}

func (h *Host) baseEnv() []string {
	if h.opts.Env != nil {
		return h.opts.Env
	}
	return os.Environ()
}
