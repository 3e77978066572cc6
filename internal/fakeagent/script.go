package fakeagent

import "encoding/json"

// Script says how the agent behaves. The zero value is a good agent. Every knob is optional; all that do not
// contradict each other can be combined.
//
// Raw members (json.RawMessage) are sent as given, apart from insignificant white space, so that explicit null and
// values of a wrong type are possible. A nil raw member means the agent's own default.
type Script struct {
	// Silent makes the agent read everything and answer nothing.
	Silent bool `json:"silent,omitempty"`
	// Echo makes the agent write every line it reads back verbatim, like cat, and answer nothing.
	Echo bool `json:"echo,omitempty"`

	// SlowStart is the time the agent waits before it answers initialize.
	SlowStart Duration `json:"slowStart,omitempty"`
	// AgentInfo replaces agentInfo in the initialize result.
	AgentInfo json.RawMessage `json:"agentInfo,omitempty"`
	// OmitAgentInfo leaves agentInfo out of the initialize result.
	OmitAgentInfo bool `json:"omitAgentInfo,omitempty"`
	// Version is the version in the agent's own agentInfo; AgentInfo wins over it. Default: Options.Version.
	Version string `json:"version,omitempty"`
	// ProtocolVersion replaces the protocolVersion answered. Default: 1.
	ProtocolVersion json.RawMessage `json:"protocolVersion,omitempty"`
	// OmitProtocolVersion leaves protocolVersion out of the initialize result.
	OmitProtocolVersion bool `json:"omitProtocolVersion,omitempty"`
	// Capabilities replaces agentCapabilities.
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
	// AuthMethods replaces authMethods. Default: none, or one method "mock-login" if AuthRequired is set.
	AuthMethods json.RawMessage `json:"authMethods,omitempty"`
	// NullOptionals answers null for every optional member of the initialize result.
	NullOptionals bool `json:"nullOptionals,omitempty"`
	// AuthRequired is how often session/new is refused with -32000 before it succeeds; negative means always.
	// A successful authenticate does not change the count.
	AuthRequired int `json:"authRequired,omitempty"`

	// SignIn refuses session/new with -32000 until authenticate has succeeded, and says what that does. It needs SignInFile.
	SignIn SignInMode `json:"signIn,omitempty"`
	// SignInFile is a path: while there is a file, whoever starts with it is signed in. authenticate makes it, and so does
	// acpctl mock agent --sign-in, which is what a method of type terminal can run.
	SignInFile string `json:"signInFile,omitempty"`

	// ConfigOptions are the configOptions of every session, as a list in JSON; session/set_config_option changes them.
	ConfigOptions json.RawMessage `json:"configOptions,omitempty"`
	// Models is the member models of every session, from before there were options; session/set_model changes it.
	Models json.RawMessage `json:"models,omitempty"`
	// IgnoreSet accepts what is set of options and models, and does not apply it.
	IgnoreSet bool `json:"ignoreSet,omitempty"`

	// ExitAt ends the agent at a point of the conversation: Serve returns an *ExitError.
	ExitAt ExitPoint `json:"exitAt,omitempty"`
	// ExitCode is the code of that exit.
	ExitCode int `json:"exitCode,omitempty"`
	// ExitAfterAnswer lets the request named by ExitAt be answered before the exit.
	ExitAfterAnswer bool `json:"exitAfterAnswer,omitempty"`

	// Noise is text on standard output that is no frame.
	Noise []Noise `json:"noise,omitempty"`
	// BOM puts a UTF-8 byte order mark in front of the first frame.
	BOM bool `json:"bom,omitempty"`
	// CRLF ends lines with CR LF.
	CRLF bool `json:"crlf,omitempty"`
	// BlankLines is the number of empty lines in front of every frame.
	BlankLines int `json:"blankLines,omitempty"`
	// Chunk is the largest number of bytes per write; 0 writes a frame at once.
	Chunk int `json:"chunk,omitempty"`
	// NoNewlineAtEOF writes the last frame without a line end and exits with ExitCode. The last frame is the answer
	// after which ExitAt exits; without ExitAt it is the first answer to session/prompt.
	NoNewlineAtEOF bool `json:"noNewlineAtEOF,omitempty"`
	// TruncateAtEOF is like NoNewlineAtEOF, with the last frame cut in half.
	TruncateAtEOF bool `json:"truncateAtEOF,omitempty"`
	// Stderr is the number of bytes of log lines written to standard error before initialize is answered.
	Stderr int `json:"stderr,omitempty"`

	// RequestID is the id of the first request the agent sends, raw: 0, -1, 9007199254740993, "perm-7f". Default: 1.
	RequestID json.RawMessage `json:"requestID,omitempty"`
	// DupResponse writes every answer twice.
	DupResponse bool `json:"dupResponse,omitempty"`
	// UnknownRequest sends the request _vendor/ask in every turn and reports the client's answer in the turn's text.
	UnknownRequest bool `json:"unknownRequest,omitempty"`
	// UnknownNotification sends the notification _vendor/notice at the start of every turn.
	UnknownNotification bool `json:"unknownNotification,omitempty"`
	// UnknownUpdate sends an update "future_update" with a content block "video" at the start of every turn.
	UnknownUpdate bool `json:"unknownUpdate,omitempty"`

	// EarlyUpdates is the number of updates of a session sent before the session/new answer that names it.
	EarlyUpdates int `json:"earlyUpdates,omitempty"`
	// NewDelay is the time after which session/new is answered. Other requests go on meanwhile.
	NewDelay Duration `json:"newDelay,omitempty"`
	// Store is a folder for the sessions, one JSON file each: another agent with this folder can load, resume, fork, list
	// and delete them. It is written when a session is made or changed by a request, wherever a turn waits, and before
	// its answer. Default: sessions end with the agent.
	Store string `json:"store,omitempty"`
	// PageSize is the number of sessions in one answer to session/list. Default: 50.
	PageSize int `json:"pageSize,omitempty"`
	// LoadOnce refuses session/load and session/resume of a session that is open with -32602.
	LoadOnce bool `json:"loadOnce,omitempty"`
	// LoadError answers session/load with this error.
	LoadError *RPCError `json:"loadError,omitempty"`
	// LoadSilent never answers session/load, nor replays anything.
	LoadSilent bool `json:"loadSilent,omitempty"`
	// ResumeError answers session/resume with this error.
	ResumeError *RPCError `json:"resumeError,omitempty"`
	// ReplayNone makes session/load replay nothing.
	ReplayNone bool `json:"replayNone,omitempty"`
	// ReplayUpdates replaces the replayed history by this many message chunks "replay 0 ", "replay 1 ", ...
	ReplayUpdates int `json:"replayUpdates,omitempty"`
	// ReplayLate is the number of updates, the last of the replay, that come after the session/load answer.
	ReplayLate int `json:"replayLate,omitempty"`
	// CloseUnsupported answers session/close with -32601, although it is advertised.
	CloseUnsupported bool `json:"closeUnsupported,omitempty"`
	// LateUpdates is the number of message chunks sent after the session/prompt answer.
	LateUpdates int `json:"lateUpdates,omitempty"`

	// Updates replaces the default turn by this many message chunks with the texts "chunk 0 ", "chunk 1 ", ...
	Updates int `json:"updates,omitempty"`
	// UpdateSize is the number of bytes of text in each of them; shorter texts are filled up with "x".
	UpdateSize int `json:"updateSize,omitempty"`
	// UpdateDelay is the time waited before each message chunk.
	UpdateDelay Duration `json:"updateDelay,omitempty"`
	// UpdatesPerWrite joins that many frames of a turn, its answer included, into one write.
	UpdatesPerWrite int `json:"updatesPerWrite,omitempty"`
	// Tool changes the tool call of the default turn, and adds one to a turn made by Updates.
	Tool *Tool `json:"tool,omitempty"`
	// Stop replaces the stopReason of a turn that ends by itself. Default: "end_turn".
	Stop json.RawMessage `json:"stop,omitempty"`
	// OmitStop leaves stopReason out of that answer.
	OmitStop bool `json:"omitStop,omitempty"`
	// Usage replaces usage in the answers of turns.
	Usage json.RawMessage `json:"usage,omitempty"`
	// Cancelled says "cancelled" in the answers of turns that end by themselves.
	Cancelled bool `json:"cancelled,omitempty"`
	// EchoPrompt sends the prompt back as user message chunks at the start of every turn.
	EchoPrompt bool `json:"echoPrompt,omitempty"`
	// SecondAnswer sends the answer of a turn once more when the next prompt of the session has come.
	SecondAnswer bool `json:"secondAnswer,omitempty"`
	// Unsolicited is the number of message chunks "unsolicited 0 ", ... sent after every turn, in a message of their own.
	Unsolicited int `json:"unsolicited,omitempty"`
	// Empty plays turns without any update. Requests to the client are still made.
	Empty bool `json:"empty,omitempty"`
	// NeverEnd leaves session/prompt unanswered after the updates, until it is cancelled.
	NeverEnd bool `json:"neverEnd,omitempty"`
	// Error answers session/prompt with this error after the updates.
	Error *RPCError `json:"error,omitempty"`

	// Cancel says what session/cancel does. Default: CancelHonour.
	Cancel CancelMode `json:"cancel,omitempty"`
	// CancelDelay is how long CancelLate waits. Default: 200 ms.
	CancelDelay Duration `json:"cancelDelay,omitempty"`

	// CancelKillsSession makes a session unknown once its cancelled turn has been answered. It can be loaded again.
	CancelKillsSession bool `json:"cancelKillsSession,omitempty"`
	// Desync answers the prompt after a cancelled turn at once, without an update; the text of its answer comes at the
	// start of the turn after that.
	Desync bool `json:"desync,omitempty"`

	// PermissionOn says when a turn asks session/request_permission. Default: if the prompt has the word "permission".
	PermissionOn PermissionOn `json:"permissionOn,omitempty"`
	// PermissionOptions replaces the options offered.
	PermissionOptions json.RawMessage `json:"permissionOptions,omitempty"`
	// PermissionParallel is the number of requests open at once. Default: 1.
	PermissionParallel int `json:"permissionParallel,omitempty"`
	// PermissionSession is the session id in the requests, such as one of a child the client never heard of.
	PermissionSession string `json:"permissionSession,omitempty"`
	// PermissionAfterCancel is the number of permission requests made, one after another, after a cancel that is
	// honoured and before the turn is answered.
	PermissionAfterCancel int `json:"permissionAfterCancel,omitempty"`

	// Child is the id of a child session that works in every turn: it is announced by a subagent_update of the parent,
	// then sends message chunks under its own id.
	Child string `json:"child,omitempty"`
	// ChildAnnounced set to false leaves the subagent_updates out, so that the client has never heard of the child.
	ChildAnnounced *bool `json:"childAnnounced,omitempty"`
	// ChildPermission makes the child ask session/request_permission under its own id.
	ChildPermission bool `json:"childPermission,omitempty"`

	// CallClient lists requests sent to the client in every turn, one after another. The turn's text sums up the
	// answers.
	CallClient []Call `json:"callClient,omitempty"`

	// MCP says how the agent treats the configuration of its MCP servers. Default: as a good agent.
	MCP *MCPScript `json:"mcp,omitempty"`

	// IgnoreStdinEOF keeps the agent running after the end of its input, until ctx ends.
	IgnoreStdinEOF bool `json:"ignoreStdinEOF,omitempty"`
	// StopReading names a method: the agent handles the first frame with it and reads nothing after that.
	StopReading string `json:"stopReading,omitempty"`
}
