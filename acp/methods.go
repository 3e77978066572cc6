package acp

import "encoding/json"

// The methods of protocol version 1 that this package sends or serves.
const (
	methodInitialize          = "initialize"
	methodSessionNew          = "session/new"
	methodSessionLoad         = "session/load"
	methodSessionResume       = "session/resume"
	methodSessionFork         = "session/fork"
	methodSessionList         = "session/list"
	methodSessionDelete       = "session/delete"
	methodSessionPrompt       = "session/prompt"
	methodSessionCancel       = "session/cancel"
	methodSessionClose        = "session/close"
	methodSessionUpdate       = "session/update"
	methodRequestPermission   = "session/request_permission"
	methodReadTextFile        = "fs/read_text_file"
	methodWriteTextFile       = "fs/write_text_file"
	methodCreateTerminal      = "terminal/create"
	methodTerminalOutput      = "terminal/output"
	methodWaitForTerminalExit = "terminal/wait_for_exit"
	methodKillTerminal        = "terminal/kill"
	methodReleaseTerminal     = "terminal/release"
	methodCreateElicitation   = "elicitation/create"
	methodCompleteElicitation = "elicitation/complete"
	methodCancelRequest       = "$/cancel_request"
)

// jsonrpcEmpty is the result of a skeleton.
var jsonrpcEmpty = json.RawMessage("{}")
