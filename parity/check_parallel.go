package parity

import (
	"context"
	"sync"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// checkParallel opens two sessions at the same time.
func checkParallel(ctx context.Context, t *trial) {
	const subject = "two at the same time"
	declared, ok := t.declared(subject, backends.TrustParallelStarts)
	if !ok {
		return
	}
	p, err := t.connect(ctx, nil)
	if err != nil {
		t.skip(subject, "it did not start: "+t.failure(err))
		return
	}
	var errs [2]error
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = p.Conn().NewSession(ctx, t.subject.Dir, &acp.SessionOptions{NoUpdates: true}) })
	}
	wg.Wait()
	observed := "both opened"
	for _, err := range errs {
		if err != nil {
			observed = t.failure(err)
		}
	}
	t.hold(subject, declared, errs == [2]error{}, observed)
}
