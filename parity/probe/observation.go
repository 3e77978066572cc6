package probe

import (
	"encoding/json"
	"time"
)

// Schema names the form of a [Report] in JSON. It changes when a member changes its meaning or goes.
const Schema = "acpharness.probe/1"

// Report is what a probe of several subjects found.
type Report struct {
	Schema   string         `json:"schema"`
	Subjects []*Observation `json:"subjects"`
}

// Outcome is what became of a subject.
type Outcome string

// The outcomes.
const (
	OK           Outcome = "ok"            // it answered initialize and opened a session
	AuthRequired Outcome = "auth_required" // it answered initialize and wants a sign-in before a session
	NotFound     Outcome = "not_found"     // its executable is in none of the places searched
	StartFailed  Outcome = "start_failed"  // it could not be started, went away, or refused
	NotACP       Outcome = "not_acp"       // it runs but does not speak the protocol
	Timeout      Outcome = "timeout"       // it did not answer in time
)

// Observation is what a probe found of one subject. Members that do not apply are absent from the JSON form, but for
// agent, whose members are empty when they were not reported as strings.
type Observation struct {
	Subject  string   `json:"subject"` // backend id, or the base name of a command
	Outcome  Outcome  `json:"outcome"`
	Phase    string   `json:"phase,omitempty"` // where it failed: resolve, spawn, initialize, session/new
	Error    string   `json:"error,omitempty"`
	Kind     string   `json:"kind,omitempty"`     // what went wrong, for programs, see acp.StartKind
	Hint     string   `json:"hint,omitempty"`     // what to do next
	Command  []string `json:"command,omitempty"`  // the command line with its executable found
	Verified string   `json:"verified,omitempty"` // who has run the descriptor; absent for a bare command
	// Initialized tells whether the agent answered initialize; the members below it are of that answer.
	Initialized     bool            `json:"initialized"`
	Agent           Agent           `json:"agent"`
	Declared        *Declared       `json:"declared,omitempty"`        // by its descriptor; absent for a bare command
	ProtocolVersion json.RawMessage `json:"protocolVersion,omitempty"` // as answered
	Capabilities    json.RawMessage `json:"capabilities,omitempty"`    // as advertised
	AuthMethods     []AuthMethod    `json:"authMethods,omitempty"`
	Session         *Session        `json:"session,omitempty"` // the answer to session/new, absent if it was not asked
	Timings         Timings         `json:"timings"`
	Noise           Noise           `json:"noise"`
	Stderr          string          `json:"stderr,omitempty"` // the end of its standard error, of a failure only
	Tree            *Tree           `json:"tree,omitempty"`   // after session/new; absent where the system cannot tell
	Stop            *Stop           `json:"stop,omitempty"`   // absent if nothing was started
}

// Agent is the agentInfo of a subject. A version that was not reported as a string is "".
type Agent struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// Declared is what a subject may be trusted with for what it has reported of itself.
type Declared struct {
	Version            string `json:"version"` // as read, "unknown" if it is none, or reported under a name that the descriptor does not know
	McpConfigHotReload bool   `json:"mcpConfigHotReload"`
	UnverifiedAbove    bool   `json:"unverifiedAbove,omitempty"` // it is of a higher version than any in evidence
	Reason             string `json:"reason"`
}

// AuthMethod is a way to sign in that the agent offers.
type AuthMethod struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"` // agent, terminal, or what else was sent
}

// Session is the outcome of session/new.
type Session struct {
	Opened        bool     `json:"opened"`
	Error         string   `json:"error,omitempty"`
	ErrorCode     int64    `json:"errorCode,omitempty"`
	Modes         []string `json:"modes,omitempty"`
	CurrentMode   string   `json:"currentMode,omitempty"`
	ConfigOptions []string `json:"configOptions,omitempty"` // ids
}

// Timings are in milliseconds, 0 for what did not happen; after a failed start only the total is known.
type Timings struct {
	Spawn      float64 `json:"spawnMs"`      // until the first byte could be written
	Initialize float64 `json:"initializeMs"` // until initialize was answered
	Session    float64 `json:"sessionMs"`    // until session/new was answered
	Stop       float64 `json:"stopMs"`       // until the process group was gone
	Total      float64 `json:"totalMs"`
}

// Noise is what the agent wrote on its output beside frames.
type Noise struct {
	Lines  int64    `json:"lines"`
	Sample []string `json:"sample,omitempty"` // the first lines
}

// Tree is the size of a process tree.
type Tree struct {
	Processes int   `json:"processes"`
	RSS       int64 `json:"rssBytes"` // resident memory; what processes share counts once for each
}

// Stop tells how the process ended.
type Stop struct {
	How      string   `json:"how"` // in words
	ExitCode int      `json:"exitCode"`
	Signal   string   `json:"signal,omitempty"`
	By       string   `json:"by"`                 // the last step before the end: self, stdin closed, terminated, killed
	Steps    []string `json:"steps,omitempty"`    // the steps that were taken
	Swept    []string `json:"swept,omitempty"`    // processes that had left its group and were ended: pid and name
	Daemons  []string `json:"daemons,omitempty"`  // known daemons that were left alone
	Leftover []int    `json:"leftover,omitempty"` // processes of its tree that are still alive
}

func ms(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}
