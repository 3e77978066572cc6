package parity

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// checkSharing opens two sessions in one process, and prompts one after the other, then both at once.
func checkSharing(ctx context.Context, t *trial) {
	const subject = "turns of two sessions"
	declared, ok := t.declared(subject, backends.TrustSharesProcess)
	if !ok {
		return
	}
	if t.subject.Say == nil {
		t.skip(subject, "there is no turn to play")
		return
	}
	first, err := t.open(ctx, &acp.SessionOptions{NoUpdates: true})
	if err != nil {
		t.skip(subject, "it did not open a session: "+t.failure(err))
		return
	}
	second, err := first.Conn().NewSession(ctx, t.subject.Dir, &acp.SessionOptions{NoUpdates: true})
	if err != nil {
		t.hold(subject, declared, false, "the second one: "+t.failure(err))
		return
	}
	turns := []string{t.say(ctx, first, t.subject.Say), t.say(ctx, second, t.subject.Say)}
	var atOnce [2]string
	var wg sync.WaitGroup
	for i, session := range []*acp.Session{first, second} {
		wg.Go(func() { atOnce[i] = t.say(ctx, session, t.subject.Say) })
	}
	wg.Wait()
	turns = append(turns, atOnce[:]...)
	good := !slices.ContainsFunc(turns, func(ended string) bool { return ended != string(acp.StopEndTurn) })
	t.hold(subject, declared, good, fmt.Sprintf("in turn: %s, %s; at once: %s, %s", turns[0], turns[1], turns[2], turns[3]))
}
