package parity

import (
	"context"
	"fmt"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// checkSharing opens two sessions in one process, and prompts one after the other.
func checkSharing(ctx context.Context, t *trial) {
	const subject = "two sessions, a turn each"
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
	one, other := t.say(ctx, first, t.subject.Say), t.say(ctx, second, t.subject.Say)
	good := string(acp.StopEndTurn)
	t.hold(subject, declared, one == good && other == good, fmt.Sprintf("%s, %s", one, other))
}
