package acp

import (
	"context"
	"errors"
	"regexp"
	"strconv"
)

// LoadError tells why a stored session could not be opened.
type LoadError struct {
	SessionID SessionID
	Method    string // session/load or session/resume
	Kind      LoadErrorKind
	PID       int // of the process that has the session, of kind LoadLocked if the agent says it; else 0
	Err       error
}

// LoadErrorKind is what a caller decides by when a stored session could not be opened.
type LoadErrorKind string

// The kinds.
const (
	LoadNotFound    LoadErrorKind = "not_found"   // the agent does not have it: never stored, deleted, or of another folder
	LoadLocked      LoadErrorKind = "locked"      // another process has it
	LoadAuth        LoadErrorKind = "auth"        // the agent wants a sign-in first
	LoadUnsupported LoadErrorKind = "unsupported" // the agent does not do that, or not with these options
	LoadSilent      LoadErrorKind = "silent"      // the agent did not answer
	LoadNotSet      LoadErrorKind = "not_set"     // it was opened, and closed again since a setting of SessionOptions.Settings could not be had
	LoadFailed      LoadErrorKind = "failed"      // anything else, the end of the connection too
)

func (e *LoadError) Error() string {
	return "cannot open session " + string(e.SessionID) + " by " + e.Method + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *LoadError) Unwrap() error { return e.Err }

// loadErrorKind classifies what came of a request for a stored session. Agents have no code for most of it, so that their
// words have to do (claude-agent-acp#363, acpx#121, Kiro#10666); they stay in the error as they are (openclaw#109270).
func loadErrorKind(err error) LoadErrorKind {
	rpc, refused := errors.AsType[*Error](err)
	switch {
	case errors.Is(err, ErrUnsupported):
		return LoadUnsupported
	case IsAuthRequired(err):
		return LoadAuth
	case errors.Is(err, context.DeadlineExceeded):
		return LoadSilent
	case !refused:
		return LoadFailed
	case rpc.Code == CodeNotFound:
		return LoadNotFound
	case rpc.Code == CodeMethodNotFound:
		return LoadUnsupported
	}
	words := rpc.Message + " " + string(rpc.Data)
	switch {
	case lockPattern().MatchString(words):
		return LoadLocked
	case regexp.MustCompile(`(?i)not found|no previous sessions|invalid session id|unknown session|no such session|does not exist|ENOENT`).MatchString(words):
		return LoadNotFound
	default:
		return LoadFailed
	}
}

func lockPattern() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:active in another process|session is locked|locked by)(?:[^"]*?\bpid\W{0,3}(\d{1,10}))?`)
}

// lockHolder returns the pid that a refusal names, 0 if it names none.
func lockHolder(err error) int {
	rpc, ok := errors.AsType[*Error](err)
	if !ok {
		return 0
	}
	match := lockPattern().FindStringSubmatch(rpc.Message + " " + string(rpc.Data))
	if match == nil {
		return 0
	}
	pid, _ := strconv.Atoi(match[1])
	return pid
}
