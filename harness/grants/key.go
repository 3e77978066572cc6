package grants

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

// ErrVague says that a call does not tell what it does precisely enough to be remembered: its command or path is missing
// or unclear, or it changes the session's mode.
var ErrVague = errors.New("the tool call does not say precisely what it does")

// keyOf returns what a grant for this call is about. The scope is resolved.
func keyOf(scope Scope, call *acp.ToolCall) (Key, error) {
	s := permission.Inspect(call, scope.Root)
	k := Key{Backend: scope.Backend, Root: scope.Root, Kind: s.Kind, Tool: s.Tool}
	if s.Unclear || s.Kind == acp.ToolSwitchMode {
		return k, ErrVague
	}
	var err error
	switch {
	case len(s.Commands) > 0:
		// The line alone is not all: there may be an environment, a folder, or a way out of a sandbox.
		k.Commands = s.Commands
		k.Input, err = inputHash(call.RawInput)
	case s.Kind == acp.ToolExecute: // the title may be the command, or what the model calls it
		err = ErrVague
	case isAboutFiles(s.Kind) && len(s.Paths) > 0 && !s.Address:
		k.Paths = s.Paths
	default:
		if k.Tool == "" && call.Title != nil {
			k.Tool = *call.Title
		}
		if k.Tool == "" {
			return k, ErrVague
		}
		k.Input, err = inputHash(call.RawInput)
	}
	return k, err
}

func isAboutFiles(kind acp.ToolKind) bool {
	return slices.Contains([]acp.ToolKind{acp.ToolRead, acp.ToolSearch, acp.ToolEdit, acp.ToolDelete, acp.ToolMove}, kind)
}

// describing are members of an input that change with every call and nothing about what it does, in lower case and
// without _.
var describing = []string{"description", "explanation", "reason", "justification", "timeout", "timeoutms", "callid", "toolcallid", "turnid"}

// inputHash is one for all inputs that mean the same.
func inputHash(raw []byte) (string, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return "", ErrVague
	}
	for name, value := range members {
		if slices.Contains(describing, strings.ReplaceAll(strings.ToLower(name), "_", "")) {
			delete(members, name)
			continue
		}
		if err := value.Compact(); err != nil { // numbers stay as they were sent
			return "", ErrVague
		}
		members[name] = value
	}
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return "", ErrVague
	}
	return "sha256:" + digest(text), nil
}
