package rewrite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	// lockLimit is how long another writer is waited for. Writing takes milliseconds.
	lockLimit = 5 * time.Second
	lockPause = 10 * time.Millisecond
)

// ErrLocked is why a lock is not taken, unless the system refuses it.
var ErrLocked = errors.New("another process is writing to it and does not end")

// Lock takes the lock that a file stands for and returns what gives it back; its folder has to exist. The file stays: if it
// were removed, two processes could each have a lock on a file of that name. The system gives the lock back when a process
// dies.
func Lock(ctx context.Context, file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", file, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockLimit, ErrLocked)
	defer cancel()
	for {
		taken, err := tryLock(f)
		if taken {
			return func() { _ = f.Close() }, nil
		}
		if err == nil {
			select {
			case <-time.After(lockPause):
				continue
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
		}
		_ = f.Close()
		return nil, fmt.Errorf("cannot lock %s: %w", file, err)
	}
}
