package fakeagent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ParseScript reads a script in JSON. Unknown members, values outside an enumeration, negative counts and members that
// contradict each other are errors.
func ParseScript(data []byte) (*Script, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	script := &Script{}
	if err := dec.Decode(script); err != nil {
		return nil, fmt.Errorf("cannot read script: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("cannot read script: more data after the JSON object")
	}
	if err := script.validate(); err != nil {
		return nil, fmt.Errorf("cannot read script: %w", err)
	}
	return script, nil
}

func (s *Script) validate() error {
	return errors.Join(
		oneOf("exitAt", s.ExitAt, ExitAtStart, ExitAtInitialize, ExitAtInitialized, ExitAtSessionNew, ExitAtPrompt,
			ExitAtMidTurn, ExitAtCancel, ExitAtClose, ExitAtEOF),
		oneOf("cancel", s.Cancel, CancelHonour, CancelIgnore, CancelEndTurn, CancelLate),
		oneOf("signIn", s.SignIn, SignInAtOnce, SignInOnRestart),
		oneOf("permissionOn", s.PermissionOn, PermissionOnWord, PermissionOnPrompt, PermissionNever),
		s.validateCounts(),
		s.validateRaw(),
		s.validateExit(),
		s.validateLists(),
		s.validateOpening(),
		s.validateTurns(),
		s.validateSettings(),
		s.validateMCP(),
	)
}

func oneOf[T ~string](name string, value T, allowed ...T) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s: %q is none of %q", name, value, allowed)
}

func (s *Script) validateCounts() error {
	counts := map[string]int{
		"blankLines": s.BlankLines, "chunk": s.Chunk, "stderr": s.Stderr, "earlyUpdates": s.EarlyUpdates,
		"lateUpdates": s.LateUpdates, "updates": s.Updates, "updateSize": s.UpdateSize,
		"updatesPerWrite": s.UpdatesPerWrite, "permissionParallel": s.PermissionParallel,
		"permissionAfterCancel": s.PermissionAfterCancel, "exitCode": s.ExitCode,
		"pageSize": s.PageSize, "replayUpdates": s.ReplayUpdates, "replayLate": s.ReplayLate,
		"unsolicited": s.Unsolicited, "newDelay": int(s.NewDelay),
		"slowStart": int(s.SlowStart), "updateDelay": int(s.UpdateDelay), "cancelDelay": int(s.CancelDelay),
	}
	if s.Tool != nil {
		counts["tool.count"] = s.Tool.Count
	}
	for name, n := range counts {
		if n < 0 {
			return fmt.Errorf("%s: must not be negative", name)
		}
	}
	return nil
}

// validateRaw looks at raw members; those of a Script made in Go need not be JSON.
func (s *Script) validateRaw() error {
	raw := map[string]json.RawMessage{
		"agentInfo": s.AgentInfo, "protocolVersion": s.ProtocolVersion, "capabilities": s.Capabilities,
		"authMethods": s.AuthMethods, "requestID": s.RequestID, "stop": s.Stop, "permissionOptions": s.PermissionOptions,
		"usage": s.Usage, "configOptions": s.ConfigOptions, "models": s.Models,
	}
	for name, e := range map[string]*RPCError{
		"error": s.Error, "loadError": s.LoadError, "resumeError": s.ResumeError,
	} {
		if e != nil {
			raw[name+".data"] = e.Data
		}
	}
	for n, c := range s.CallClient {
		raw[fmt.Sprintf("callClient[%d].params", n)] = c.Params
	}
	for name, value := range raw {
		if value != nil && !json.Valid(value) {
			return fmt.Errorf("%s: not valid JSON", name)
		}
	}
	if id := bytes.TrimSpace(s.RequestID); s.RequestID != nil && !validID(id) {
		return errors.New("requestID: must be a string, a number or null")
	}
	return nil
}

func (s *Script) validateExit() error {
	if s.ExitAfterAnswer && s.answerBeforeExit() == "" {
		return fmt.Errorf("exitAfterAnswer: nothing is answered at exitAt %q", s.ExitAt)
	}
	if (s.NoNewlineAtEOF || s.TruncateAtEOF) && s.lastAnswer() == "" {
		return fmt.Errorf("noNewlineAtEOF, truncateAtEOF: no answer is the last frame with exitAt %q", s.ExitAt)
	}
	return nil
}

func (s *Script) validateLists() error {
	for _, n := range s.Noise {
		if n.At == "" {
			return errors.New("noise: at is missing")
		}
		if err := oneOf("noise.at", n.At, NoiseAtStart, NoiseAtBefore, NoiseAtAfter, NoiseAtGlued); err != nil {
			return err
		}
		if n.At == NoiseAtGlued && strings.HasSuffix(n.Text+string(n.Bytes), "\n") {
			return errors.New("noise: glued text must not end with a newline")
		}
	}
	for _, c := range s.CallClient {
		if c.Method == "" {
			return errors.New("callClient: method is missing")
		}
	}
	return nil
}

// answerBeforeExit is the request that ExitAt lets be answered, empty if there is none.
func (s *Script) answerBeforeExit() string {
	switch s.ExitAt {
	case ExitAtInitialize, ExitAtInitialized:
		return methodInitialize
	case ExitAtSessionNew:
		return methodNew
	case ExitAtPrompt:
		return methodPrompt
	case ExitAtClose:
		return methodClose
	default:
		return ""
	}
}

// lastAnswer is the method whose answer is the last frame of the agent, empty if no answer is.
func (s *Script) lastAnswer() string {
	switch {
	case s.ExitAt == ExitAtInitialized || s.ExitAfterAnswer:
		return s.answerBeforeExit()
	case s.ExitAt == "" && (s.NoNewlineAtEOF || s.TruncateAtEOF):
		return methodPrompt
	default:
		return ""
	}
}

// exitsOn tells whether the frame with method ends the agent before it is answered.
func (s *Script) exitsOn(method string) bool {
	if s.ExitAfterAnswer {
		return false
	}
	switch s.ExitAt {
	case ExitAtInitialize, ExitAtSessionNew, ExitAtCancel, ExitAtClose:
		return method == string(s.ExitAt)
	case ExitAtPrompt:
		return method == methodPrompt
	default:
		return false
	}
}
