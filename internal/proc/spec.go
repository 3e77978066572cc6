package proc

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	defaultStderrTail = 64 << 10
	defaultStdinClose = 2 * time.Second
	defaultTerminate  = 5 * time.Second
	defaultDrain      = 200 * time.Millisecond
)

// Spec says what to start and how to watch it.
type Spec struct {
	// Path is the executable. It must hold a path separator: a bare name is an error, since nothing is looked up
	// implicitly (see LookPath). A relative path is relative to our working directory, not to Dir.
	Path string
	// Args are the arguments after argv[0], which is always Path.
	Args []string
	// RawArgs replaces Args on Windows, where every program splits its command line by rules of its own, and is passed on
	// as it is. Elsewhere it means nothing.
	RawArgs string
	// Env is the complete environment as KEY=VALUE; nil means os.Environ(). ACPHARNESS_TREE is added, see
	// Process.Nonce; an inherited one is replaced.
	Env []string
	// Dir is the working directory of the child; "" means ours. It must exist.
	Dir string
	// StderrTail is how many bytes of the end of stderr are kept; 0 means 64 KiB.
	StderrTail int
	// OnStderr, if set, gets every line of stderr without its line end, one call at a time, from one goroutine.
	// Bytes of a line after the first 8 KiB are dropped. The slice is valid only during the call. It is never
	// called after Stop has returned, so it must not block and must not call Stop.
	OnStderr func(line []byte)
	// Console, if set, makes it a command to be watched instead of an agent to be talked to.
	Console *Console
	// Grace holds the waiting times of the staged stop.
	Grace Grace
	// Daemons are substrings of command lines of processes that are shared on purpose and outlive the tree. One that
	// has left the group is reported in Exit.Daemons and not ended, and neither is what it has started. Within the
	// group nothing is left out: the group is signalled as a whole.
	Daemons []string
	// KillDaemons ends them as well.
	KillDaemons bool
	// StateDir is the folder of the ledger, in which the tree has an entry as long as it lives, so that it can be
	// cleaned up should we crash (see ReadLedger and Reap); "" keeps none. A ledger that cannot be written is logged
	// and otherwise ignored. Linux only.
	StateDir string
	// Label is what the entry of the ledger says the tree is for, such as the id of a backend. It is no place for
	// secrets.
	Label string
	// Logger gets what cannot be reported otherwise; nil discards it.
	Logger *slog.Logger
}

// Grace says how long each step of the staged stop waits. A zero field means its default, a negative one means not
// to wait at all.
type Grace struct {
	// StdinClose is the time the leader has to exit after its stdin was closed; default 2s.
	StdinClose time.Duration
	// Terminate is the time the whole group has to exit after SIGTERM; default 5s. Those who have left the group get
	// theirs at the same time and share this one. Not used on Windows, which has no such request.
	Terminate time.Duration
	// Drain is how long pipes may still be read once the leader has exited; default 200ms. A reader that is
	// behind is given up to 5s, as long as there is something to read. Of a Console it is how long the end of the output
	// is waited for before Settled.
	Drain time.Duration
}

func (g Grace) withDefaults() Grace {
	pick := func(d, def time.Duration) time.Duration {
		if d == 0 {
			return def
		}
		return max(d, 0)
	}
	return Grace{
		StdinClose: pick(g.StdinClose, defaultStdinClose),
		Terminate:  pick(g.Terminate, defaultTerminate),
		Drain:      pick(g.Drain, defaultDrain),
	}
}

// resolve returns a copy of the spec with defaults filled in and Path absolute, or the reason why it cannot be
// started.
func (s *Spec) resolve() (*Spec, error) {
	out := *s
	if out.Path == "" || filepath.Base(out.Path) == out.Path {
		return nil, &StartError{NotFound, s.Path, errors.New("a path is needed, not a bare command name")}
	}
	abs, err := filepath.Abs(out.Path)
	if err != nil {
		return nil, &StartError{Other, s.Path, err}
	}
	out.Path = abs
	if out.StderrTail <= 0 {
		out.StderrTail = defaultStderrTail
	}
	out.Grace = out.Grace.withDefaults()
	if out.Logger == nil {
		out.Logger = slog.New(slog.DiscardHandler)
	}
	if err := checkDir(&out); err != nil {
		return nil, err
	}
	return &out, checkInterpreter(&out)
}

// checkDir exists because exec reports a missing directory as if the executable were missing.
func checkDir(s *Spec) error {
	if s.Dir == "" {
		return nil
	}
	// The trailing dot also asks whether the directory may be entered.
	_, err := os.Stat(s.Dir + string(filepath.Separator) + ".")
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &StartError{DirMissing, s.Path, dirError(s.Dir, "does not exist", err)}
	default:
		return &StartError{Other, s.Path, dirError(s.Dir, "cannot be used", err)}
	}
}
