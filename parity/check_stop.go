package parity

import (
	"context"

	"github.com/acpharness/acpharness/backends"
)

// checkStop compares how the first process ended: idle, with a session that had no turn. What is declared holds in the middle of a turn,
// too, which is not looked at.
func checkStop(_ context.Context, t *trial) {
	const subject = "idle"
	declared, ok := t.declared(subject, backends.TrustStopsOnStdinClose)
	switch exit := t.seen.exit; {
	case !ok:
	case exit == nil:
		t.skip(subject, "there is no process to look at")
	case exit.Self():
		t.skip(subject, "it had ended before: "+exit.String())
	default:
		ended := exit.By == "stdin closed" && !exit.Running
		observed := "had to be " + exit.By
		if ended {
			observed = "ended by itself" // and no word of when: reports are compared with each other
		}
		t.hold(subject, declared, ended, observed)
	}
}

// checkDeath looks at what a provider still grants when its process has ended.
func checkDeath(_ context.Context, t *trial) {
	const declared, fault = "nothing", "a process that has ended cannot be trusted with anything"
	t.require("McpConfigHotReload", "no", answer(t.seen.hot), !t.seen.hot, fault)
	observed := declared
	if backend := t.seen.after.Backend(); backend != "" {
		observed = "those of " + backend
	}
	t.require("Capabilities", declared, observed, observed == declared, fault)
}
