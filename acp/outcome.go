package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// StopReason says why a turn ended, as the agent sees it. It is open. It mirrors StopReason of the protocol.
type StopReason string

// The stop reasons of the protocol.
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
	StopError           StopReason = "error" // of subagents only
)

// Outcome is what became of a turn. Only OutcomeCompleted is success, and even that may be empty, see TurnResult.Empty.
type Outcome string

// The outcomes.
const (
	OutcomeCompleted   Outcome = "completed"    // the agent says that it is done
	OutcomeCancelled   Outcome = "cancelled"    // it was cancelled from here before the outcome was known, or the agent says so
	OutcomeRefused     Outcome = "refused"      // the agent refused to go on
	OutcomeMaxTokens   Outcome = "max_tokens"   // the model's limit of tokens was reached
	OutcomeMaxRequests Outcome = "max_requests" // the agent's limit of model calls was reached
	OutcomeOther       Outcome = "other"        // a stop reason that this package does not know; TurnResult.StopReason has it
	OutcomeFailed      Outcome = "failed"       // the agent answered with an error, or with what is no answer
	OutcomeUnknown     Outcome = "unknown"      // the connection ended first: the agent may have done anything, or nothing
	OutcomeNotSent     Outcome = "not_sent"     // the agent was never asked
)

// Suspicion says that an outcome may not be what it looks like.
type Suspicion string

// The suspicions.
const (
	// SuspectStale is an empty answer right after a turn that was cancelled: some agents answer a prompt with what was left
	// of the turn before, and do the work of this one during the next (claude-agent-acp#551).
	SuspectStale Suspicion = "stale"
	// SuspectUnasked is a turn that the agent calls cancelled though nobody has cancelled it: by an agent that cancels all
	// its sessions at once (deepagents#5084), or calls good turns so (DeepSeek-Reasonix#3509).
	SuspectUnasked Suspicion = "cancelled_unasked"
	// SuspectLoad is an empty first turn of a session that was loaded or resumed: the agent may have accepted a session that
	// it cannot use (hermes-agent#62780).
	SuspectLoad Suspicion = "empty_after_load"
)

// TurnResult is the outcome of a turn.
type TurnResult struct {
	Outcome         Outcome
	StopReason      StopReason // as the agent sent it, empty if it sent none
	CancelRequested bool       // this side asked for a cancel before the outcome was read
	Inactive        bool       // that was because the agent was silent, see Inactivity
	Suspicion       Suspicion  // empty if there is none
	AgentError      *Error     // the agent's error answer, also of a turn whose cancel it calls an error
	Usage           *Usage     // nil if the agent reported none
	Messages        int        // chunks of the agent's answer
	Thoughts        int        // chunks of its reasoning
	ToolCalls       int        // tool calls announced
	Updates         int        // updates of any kind
	toolUpdates     int        // patches of tool calls, which may be all that is heard of one
	Raw             json.RawMessage
}

// Empty reports whether the agent ended the turn without any answer, thought or tool call. Some agents report a failure
// this way (MoonshotAI/kimi-code#1865).
func (r *TurnResult) Empty() bool {
	return r.Messages == 0 && r.Thoughts == 0 && r.ToolCalls == 0 && r.toolUpdates == 0
}

// Usage counts tokens. Nil members were not reported: absent is not zero.
type Usage struct {
	Cumulative  bool // it covers the session so far and not the turn, see ClientOptions.CumulativeUsage
	Total       *int64
	Input       *int64
	Output      *int64
	Thought     *int64
	CachedRead  *int64
	CachedWrite *int64
}

// settle makes the outcome of an answer, or of the cause for which there is none, for a turn that nobody has tried to send or
// somebody has. The error is what Wait returns.
func (r *TurnResult) settle(a answer, tried bool) ([]Warning, error) {
	if a.err != nil {
		return nil, r.settleError(a.err, tried)
	}
	r.Raw = a.result
	warnings := r.decode(a.result)
	switch r.StopReason {
	case "":
		r.Outcome = OutcomeFailed
		return warnings, fmt.Errorf("%w: the answer to the prompt has no stop reason", ErrProtocol)
	case StopEndTurn:
		r.Outcome = OutcomeCompleted
	case StopMaxTokens:
		r.Outcome = OutcomeMaxTokens
	case StopMaxTurnRequests:
		r.Outcome = OutcomeMaxRequests
	case StopRefusal:
		r.Outcome = OutcomeRefused
	case StopCancelled:
		r.Outcome = OutcomeCancelled
	default:
		r.Outcome = OutcomeOther
	}
	if r.CancelRequested { // whatever the agent calls it (copilot-cli#4561)
		r.Outcome = OutcomeCancelled
	}
	return warnings, nil
}

func (r *TurnResult) settleError(err error, tried bool) error {
	rpc, answered := errors.AsType[*Error](err)
	switch {
	case answered:
		r.AgentError, r.Outcome = rpc, OutcomeFailed
		if rpc.Code == CodeCancelled || r.CancelRequested && saysCancelled(rpc) {
			r.Outcome = OutcomeCancelled
			return nil
		}
	case errors.Is(err, ErrProtocol):
		r.Outcome = OutcomeFailed
	default:
		r.Outcome = OutcomeUnknown
		unsent, ok := errors.AsType[*notSentError](err)
		if ok {
			err = unsent.err
		}
		if ok || !tried {
			r.Outcome = OutcomeNotSent
		}
	}
	return err
}

// saysCancelled reports whether an error is an agent's way to say that it has stopped as it was told.
func saysCancelled(rpc *Error) bool {
	return regexp.MustCompile(`(?i)\b(cancell?ed|aborted|interrupted)\b`).MatchString(rpc.Message + " " + string(rpc.Data))
}

func (r *TurnResult) decode(raw []byte) []Warning {
	var d decoder
	d.object("result", raw, func(key, value []byte) {
		switch string(key) {
		case "stopReason":
			d.str("stopReason", value, (*string)(&r.StopReason))
		case "usage":
			r.Usage = d.usage("usage", value)
		}
	})
	return d.warnings
}

func (d *decoder) usage(name string, raw []byte) *Usage {
	u := &Usage{}
	ok := d.object(name, raw, func(key, value []byte) {
		switch string(key) {
		case "totalTokens":
			d.optInt("totalTokens", value, &u.Total)
		case "inputTokens":
			d.optInt("inputTokens", value, &u.Input)
		case "outputTokens":
			d.optInt("outputTokens", value, &u.Output)
		case "thoughtTokens":
			d.optInt("thoughtTokens", value, &u.Thought)
		case "cachedReadTokens":
			d.optInt("cachedReadTokens", value, &u.CachedRead)
		case "cachedWriteTokens":
			d.optInt("cachedWriteTokens", value, &u.CachedWrite)
		}
	})
	if !ok {
		return nil
	}
	return u
}
