package backends

// Reasons that several descriptors give. They say what was not seen, and so what is not granted.
const (
	neverRun         = "Not observed: nobody has run it."
	wantsAccount     = "Not observed: it wants an account for a session."
	sideBySideOnce   = "Two sessions were opened at the same time in one run only, which is too little to rely on."
	sideBySide       = "Two sessions of one process were opened at the same time, without servers of their own."
	nothingAnnounced = "Not observed: no server told it that its tools had changed."
	isolationUnseen  = "Not observed: nobody looked for the servers of one session in another."
	offeredTheNew    = "A server said that its tools had changed: the agent asked for them, and the model could call the new one."
	twoAtOnce        = "Two sessions of one process worked at once: one completed, the other was cancelled."
	takesBoth        = "A stdio server and one over http given at session/new were asked for their tools; sse was not tried."
)

func yes(reason string) Decision { return Decision{Granted: true, Reason: reason} }

func no(reason string) Decision { return Decision{Reason: reason} }

// pending withholds hot reload: what was seen is said, and nothing follows from it before it is evidence.
func pending(seen string) HotReload { return HotReload{Reason: "Evidence pending: " + seen} }

// reloads grants hot reload, as the evidence that the reason names says.
func reloads(reason string, table map[Edit]EditDecision) HotReload {
	return HotReload{Granted: true, Reason: reason, Table: table}
}

// unmoved withholds it because there is evidence that an edit is not followed.
func unmoved(reason string) HotReload { return HotReload{Reason: reason} }

// decided is an edit that is followed, under conditions.
func decided(v Verdict, conditions ...Condition) EditDecision {
	return EditDecision{Verdict: v, Conditions: conditions}
}
