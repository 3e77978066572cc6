package acp

// turnState is the life of a turn.
type turnState int

const (
	turnQueued     turnState = iota // waits for the turns before it
	turnSending                     // its prompt is on the way into the write queue
	turnWithdrawn                   // the same, and it is to be cancelled once it is there
	turnOpen                        // the agent has the prompt, or will have it next
	turnCancelling                  // and was asked to stop
	turnEnded                       // the outcome is known
)

// turnEvent is what happens to a turn.
type turnEvent int

const (
	eventBegin    turnEvent = iota // no turn is before it any more
	eventSent                      // the prompt is in the write queue
	eventCancel                    // somebody wants it to stop
	eventNotAsked                  // the agent could not be asked to stop
	eventSettled                   // the answer was read, or there can be none any more
)

// turnAction is what the one who reported an event has to do.
type turnAction int

const (
	actNothing    turnAction = iota
	actSend                  // send the prompt
	actAskToStop             // send session/cancel
	actSettle                // file the outcome
	actSettleHere            // file that it was cancelled before the agent had it
)

// turnStep is an event in a state.
type turnStep struct {
	state turnState
	event turnEvent
}

// after is the state machine of a turn: what an event makes of a state, and what is to be done. What is not here changes
// nothing; above all nothing comes after the outcome, so that there is exactly one.
func (s turnState) after(e turnEvent) (turnState, turnAction) {
	switch (turnStep{s, e}) {
	case turnStep{turnQueued, eventBegin}:
		return turnSending, actSend
	case turnStep{turnQueued, eventCancel}:
		return turnEnded, actSettleHere
	case turnStep{turnSending, eventSent}:
		return turnOpen, actNothing
	case turnStep{turnSending, eventCancel}: // a cancel must not be in the write queue before its prompt
		return turnWithdrawn, actNothing
	case turnStep{turnWithdrawn, eventSent}:
		return turnCancelling, actAskToStop
	case turnStep{turnOpen, eventCancel}:
		return turnCancelling, actAskToStop
	case turnStep{turnCancelling, eventNotAsked}:
		return turnOpen, actNothing
	case turnStep{turnQueued, eventSettled}, turnStep{turnSending, eventSettled}, turnStep{turnWithdrawn, eventSettled},
		turnStep{turnOpen, eventSettled}, turnStep{turnCancelling, eventSettled}:
		return turnEnded, actSettle
	default:
		return s, actNothing
	}
}

// cancelled reports whether somebody wanted the turn to stop before its outcome was known.
func (s turnState) cancelled() bool { return s == turnWithdrawn || s == turnCancelling }
