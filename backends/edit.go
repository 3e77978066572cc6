package backends

import "slices"

// Edit is a kind of change to an agent's MCP configuration.
type Edit string

// The edits.
const (
	EditAdd             Edit = "add"              // a server is added
	EditDisable         Edit = "disable"          // a server gets the agent's marker for disabled ones
	EditEnable          Edit = "enable"           // the marker is lifted
	EditRemove          Edit = "remove"           // a server is taken out
	EditChangeTransport Edit = "change-transport" // its command, arguments, environment, address or headers
	EditToolFilter      Edit = "tool-filter"      // which of its tools are offered
	EditAddRef          Edit = "add-ref"          // an agent's file refers to a server that runs
	EditRemoveRef       Edit = "remove-ref"       // it does not refer to it any more
	EditPermissionRule  Edit = "permission-rule"  // what may be called without asking
	EditSpawnField      Edit = "spawn-field"      // what only a new process can know, such as the model or the prompt
)

// Edits returns all edits, in the order in which they are shown.
func Edits() []Edit {
	return []Edit{
		EditAdd, EditDisable, EditEnable, EditRemove, EditChangeTransport, EditToolFilter, EditAddRef, EditRemoveRef, EditPermissionRule, EditSpawnField,
	}
}

// Known reports whether e is one of the edits.
func (e Edit) Known() bool { return slices.Contains(Edits(), e) }

// neededEdits are those that an agent has to follow to be said to hot-reload its MCP configuration.
func neededEdits() []Edit { return []Edit{EditAdd, EditDisable, EditEnable, EditRemove} }

// Verdict says what a running agent does with an edit.
type Verdict string

// The verdicts. The zero value is as good as VerdictUnknown.
const (
	VerdictFollows       Verdict = "follows"        // what a session can call changes by itself
	VerdictNextTurn      Verdict = "next-turn"      // it does with the next turn
	VerdictNo            Verdict = "no"             // it does not
	VerdictFalsePositive Verdict = "false-positive" // something happens, a process starts, and what the session can call stays
	VerdictUnknown       Verdict = "unknown"
)

// Verdicts returns all verdicts.
func Verdicts() []Verdict {
	return []Verdict{VerdictFollows, VerdictNextTurn, VerdictNo, VerdictFalsePositive, VerdictUnknown}
}

// Followed reports whether a session comes to what the edit says by itself.
func (v Verdict) Followed() bool { return v == VerdictFollows || v == VerdictNextTurn }

// Condition is what must hold for a verdict. The list is closed: each has an evaluator in package harness, and one that nobody
// evaluates is not met.
type Condition string

// The conditions.
const (
	ConditionNoInjection  Condition = "no-injected-server"          // no server was given to any session of the process over ACP
	ConditionNotInjected  Condition = "changed-server-not-injected" // the server that changes was not given to the session over ACP
	ConditionAtomicRename Condition = "replaced-by-rename"          // the file was replaced by another, not written in place
	ConditionIdle         Condition = "no-open-turn"                // no session of the process is in a turn
	ConditionAlone        Condition = "no-other-session"            // the process has no session beside this one
)

// Conditions returns all conditions.
func Conditions() []Condition {
	return []Condition{ConditionNoInjection, ConditionNotInjected, ConditionAtomicRename, ConditionIdle, ConditionAlone}
}

// Known reports whether c is one of the conditions.
func (c Condition) Known() bool { return slices.Contains(Conditions(), c) }
