package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

// jsonView is for programs: every event is one JSON object on a line.
type jsonView struct {
	mu  sync.Mutex
	enc *json.Encoder
	err error
}

func newJSONView(w io.Writer) *jsonView {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &jsonView{enc: enc}
}

func (v *jsonView) emit(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.enc.Encode(event); err != nil && v.err == nil {
		v.err = fmt.Errorf("cannot write an event: %w", err)
	}
}

func (v *jsonView) session(backend string, s *acp.Session, historyLost bool) {
	agent := s.Conn().Agent()
	v.emit(struct {
		Type        string            `json:"type"`
		Backend     string            `json:"backend"`
		Agent       jsonAgent         `json:"agent"`
		SessionID   acp.SessionID     `json:"sessionId"`
		CWD         string            `json:"cwd"`
		Origin      acp.SessionOrigin `json:"origin"`
		HistoryLost bool              `json:"historyLost,omitempty"`
	}{"session", backend, jsonAgent{agent.Name, agent.Title, agent.Version}, s.ID(), s.CWD(), s.Origin(), historyLost})
}

type jsonAgent struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

func (v *jsonView) update(n acp.SessionNotification) {
	v.emit(struct {
		Type     string          `json:"type"`
		Kind     acp.UpdateKind  `json:"kind"`
		Raw      json.RawMessage `json:"raw"`
		Late     bool            `json:"late,omitempty"`
		Warnings []string        `json:"warnings,omitempty"`
	}{"update", n.Update.UpdateKind(), n.Raw, n.Late, texts(n.Warnings)})
}

func texts(warnings []acp.Warning) []string {
	var out []string
	for _, w := range warnings {
		out = append(out, w.String())
	}
	return out
}

func (v *jsonView) permission(req *acp.PermissionRequest, outcome acp.PermissionOutcome) {
	v.emit(struct {
		Type     string          `json:"type"`
		Tool     string          `json:"tool"`
		ToolKind acp.ToolKind    `json:"toolKind"`
		Answer   string          `json:"answer"`
		OptionID string          `json:"optionId,omitempty"`
		Raw      json.RawMessage `json:"raw"`
	}{"permission", toolTitle(&req.ToolCall), req.ToolCall.Kind, answerOf(req, outcome), outcome.OptionID, req.Raw})
}

func (v *jsonView) violation(left *permission.Violation) {
	v.emit(struct {
		Type string                   `json:"type"`
		Kind permission.ViolationKind `json:"kind"`
		Mode string                   `json:"mode,omitempty"`
		Text string                   `json:"text"`
	}{"violation", left.Kind, left.Mode, left.String()})
}

// diagnostic emits noise and stderr as they are, the rest as protocol events.
func (v *jsonView) diagnostic(d acp.Diagnostic) {
	v.emit(struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Dropped int    `json:"dropped,omitempty"`
	}{string(d.Kind), d.Text, d.Dropped})
}

type jsonUsage struct {
	Cumulative  bool   `json:"cumulative,omitempty"` // of the session so far
	Total       *int64 `json:"totalTokens,omitempty"`
	Input       *int64 `json:"inputTokens,omitempty"`
	Output      *int64 `json:"outputTokens,omitempty"`
	Thought     *int64 `json:"thoughtTokens,omitempty"`
	CachedRead  *int64 `json:"cachedReadTokens,omitempty"`
	CachedWrite *int64 `json:"cachedWriteTokens,omitempty"`
}

func (v *jsonView) outcome(r *runResult) error {
	event := struct {
		Type       string         `json:"type"`
		StopReason acp.StopReason `json:"stopReason"` // empty if there was none
		Outcome    acp.Outcome    `json:"outcome"`
		Suspicion  acp.Suspicion  `json:"suspicion,omitempty"`
		Text       string         `json:"text"`
		Usage      *jsonUsage     `json:"usage"`
		ExitCode   int            `json:"exitCode"`
		Error      string         `json:"error,omitempty"`
	}{Type: "outcome", Outcome: acp.OutcomeNotSent, Text: r.text.String(), ExitCode: r.code, Error: r.problem()}
	if r.turn != nil {
		event.StopReason, event.Outcome, event.Suspicion = r.turn.StopReason, r.turn.Outcome, r.turn.Suspicion
		if u := r.turn.Usage; u != nil {
			usage := jsonUsage(*u)
			event.Usage = &usage
		}
	}
	v.emit(event)
	return v.err
}
