package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

var (
	// ErrTreeInUse is wrapped by the error of Reap if the host of the tree lives.
	ErrTreeInUse = errors.New("its host is running")
	// ErrTreeOutOfSight is wrapped by the error of Reap if the host of the tree is in another pid namespace.
	ErrTreeOutOfSight = errors.New("its host is in another pid namespace")
	// ErrTreeSurvived is wrapped by the error of Reap if processes of the tree live on.
	ErrTreeSurvived = errors.New("processes are still alive")
)

// Reap ends what is left of the tree of a host that is gone: SIGTERM to all of its processes, after grace SIGKILL (0
// means 5s, negative not to wait; the end of ctx skips to SIGKILL), and removes the entry when none is left. It returns
// whom it has ended. Known daemons are ended as well, for the ledger does not know them.
//
// The status is found out anew, and only TreeLeftover is acted upon; the entry of a tree that is TreeGone is removed.
// Only processes that carry the nonce, that are the recorded leader or in its group, or that descend from one of these
// are signalled, each after a check of its start time; never our ancestors or our own group.
func Reap(ctx context.Context, entry *TreeEntry, grace time.Duration) ([]Swept, error) {
	swept, err := entry.reap(ctx, grace)
	if err != nil {
		return swept, fmt.Errorf("cannot reap the tree of process %d: %w", entry.Leader.PID, err)
	}
	return swept, nil
}

func (e *TreeEntry) reap(ctx context.Context, grace time.Duration) ([]Swept, error) {
	here, err := readPlace()
	if err != nil {
		return nil, err
	}
	t, err := readTable()
	if err != nil {
		return nil, err
	}
	l := e.lineage() // what it remembers of this look serves the sweep
	var swept []Swept
	switch status, _ := e.judge(here, t, l); status {
	case TreeLive:
		return nil, ErrTreeInUse
	case TreeUnknown:
		return nil, ErrTreeOutOfSight
	case TreeLeftover:
		s := &sweeper{tree: l, all: true, grace: Grace{Terminate: grace}.withDefaults().Terminate, hurry: ctx.Done()}
		s.run()
		swept = s.ended()
		if left := s.leftover(); len(left) > 0 {
			return swept, fmt.Errorf("%w: %v", ErrTreeSurvived, left)
		}
	case TreeGone:
	}
	if e.file == "" {
		return swept, nil
	}
	unfinished, _ := filepath.Glob(filepath.Join(filepath.Dir(e.file), tempPrefix+"*"))
	for _, f := range unfinished { // nobody is left to finish them
		_ = os.Remove(f)
	}
	return swept, removeEntry(e.file)
}
