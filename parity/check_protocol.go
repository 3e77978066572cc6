package parity

import (
	"context"
	"errors"
	"slices"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// strangeVersion is a protocol version that nobody speaks.
const strangeVersion = "99"

// checkVersion compares what was answered at the first handshake, and asks for a version that nobody speaks.
func checkVersion(ctx context.Context, t *trial) {
	answered := string(t.seen.version)
	if answered == "" {
		answered = "none"
	}
	t.record("answered", "1", answered, Pass, "") // or the handshake would have failed

	overridden := t.subject.Descriptor != nil && slices.ContainsFunc(t.subject.Descriptor.Overrides, func(o backends.Override) bool {
		return o.Capability == backends.OverrideProtocolVersion && !o.Works
	})
	_, err := t.connect(ctx, func(o *provider.ConnectOptions) { o.Client.ProtocolVersion = strangeVersion })
	wrong, echoed := errors.AsType[*acp.ProtocolVersionError](err)
	echoed = echoed && string(wrong.Got) == strangeVersion
	const subject, echoes, answers = "asked for " + strangeVersion, "echoes", "answers its own"
	observed := answers
	if echoed {
		observed = echoes
	} else if err != nil {
		observed = "does not echo: " + t.failure(err)
	}
	if overridden {
		t.require(subject, echoes, observed, echoed, "the override is not needed any more")
	} else {
		t.require(subject, answers, observed, !echoed, "its answer proves nothing, which an override must say")
	}
}
