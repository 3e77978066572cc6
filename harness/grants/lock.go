package grants

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

var errLocked = errors.New("another process is writing to it and does not end")

// lock takes the lock that a file stands for and returns what gives it back. The file stays: if it were removed, two
// processes could each have a lock on a file of that name. The system gives the lock back when a process dies.
func lock(ctx context.Context, file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockLimit, errLocked)
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
