package acp

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/acpharness/acpharness/internal/proc"
)

// CommandTransport starts an agent as a child process, in a process group of its own, and speaks over its standard
// input and output. No shell is involved. It serves one Connect.
type CommandTransport struct {
	Command string   // executable; a bare name is looked up on the PATH of Env, never in the current directory
	Args    []string // arguments after the command
	Env     []string // the whole environment, nil means the caller's
	Dir     string   // working directory, empty means the caller's
	Stop    StopGrace
	// StateDir is the folder of a ledger in which the process tree stands as long as it lives, so that acpctl ps and
	// reap can clean up should this program crash; empty keeps none. One that cannot be written is logged and no error.
	StateDir string
	// Label says in the ledger what the tree is for, such as the id of a backend.
	Label string
	// Daemons are substrings of command lines of processes that agents share on purpose. One that has left the
	// process group is reported in Exit.Daemons and not ended, unless KillDaemons says so.
	Daemons     []string
	KillDaemons bool
	// Logger receives what cannot be reported otherwise; nil discards.
	Logger *slog.Logger
}

// StopGrace says how long each step of a staged stop waits. Zero values are the defaults.
type StopGrace struct {
	StdinClose time.Duration // for an exit after its standard input was closed, 2 s
	Terminate  time.Duration // for the group's end after SIGTERM, 5 s
}

// Connect implements Transport. An error is a *StartError.
func (t *CommandTransport) Connect(ctx context.Context, opts *StreamOptions) (Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, &StartError{Phase: PhaseSpawn, Err: err}
	}
	path := t.Command
	if filepath.Base(path) == path {
		found, _, err := proc.LookPath(path, pathOf(t.Env), nil)
		if err != nil {
			return nil, &StartError{Phase: PhaseResolve, Err: err}
		}
		path = found
	}
	spec := &proc.Spec{
		Path: path, Args: t.Args, Env: t.Env, Dir: t.Dir,
		Grace:    proc.Grace{StdinClose: t.Stop.StdinClose, Terminate: t.Stop.Terminate},
		StateDir: t.StateDir, Label: t.Label, Daemons: t.Daemons, KillDaemons: t.KillDaemons, Logger: t.Logger,
	}
	env := t.Env
	if env == nil {
		env = os.Environ()
	}
	if opts != nil && opts.Stderr != nil {
		secrets := newRedactor(env, nil)
		spec.OnStderr = func(line []byte) { opts.Stderr([]byte(secrets.text(string(line)))) }
	}
	process, err := proc.Start(spec)
	if err != nil {
		return nil, &StartError{Phase: PhaseSpawn, Err: err}
	}
	return &processStream{lineStream: newLineStream(process.Stdout(), stdinOf{process}, opts), process: process, env: env}, nil
}

func pathOf(env []string) string {
	path := os.Getenv("PATH")
	if env == nil {
		return path
	}
	path = ""
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	return path
}

// processStream is the stream to a child process, which its connection also watches and stops.
type processStream struct {
	*lineStream
	process *proc.Process
	env     []string
}

// Close ends the process at once if it still runs.
func (s *processStream) Close() error {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	s.process.Stop(now)
	return nil
}

// stdinOf closes the child's input through its supervisor, which has to know.
type stdinOf struct{ process *proc.Process }

func (s stdinOf) Write(b []byte) (int, error)        { return s.process.Stdin().Write(b) }
func (s stdinOf) Close() error                       { return s.process.CloseStdin() }
func (s stdinOf) SetWriteDeadline(t time.Time) error { return s.process.Stdin().SetWriteDeadline(t) }
