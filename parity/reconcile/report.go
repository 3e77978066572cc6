package reconcile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// Schema names the form of a [Report] in JSON. It changes when a member changes its meaning or goes.
const Schema = "acpharness.reconcile/1"

// Report is what was found of one agent in one version.
type Report struct {
	Schema  string `json:"schema"`
	Backend string `json:"backend"`
	Agent   string `json:"agent"`   // agentInfo.name
	Version string `json:"version"` // agentInfo.version
	Date    string `json:"date"`    // 2006-01-02
	// Results are the cells in the order in which they were tried.
	Results []Result `json:"results"`
	// Extras are the observations beside the cells.
	Extras []Extra `json:"extras,omitempty"`
	// Latencies are how long edits of an idle session took, in seconds, where they were repeated.
	Latencies map[backends.Edit][]float64 `json:"latencies,omitempty"`
}

func newReport(backend string) *Report {
	return &Report{Schema: Schema, Backend: backend, Date: time.Now().UTC().Format(time.DateOnly), Results: []Result{}}
}

// ReadReport reads a report in JSON.
func ReadReport(r io.Reader) (*Report, error) {
	var report Report
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&report); err != nil {
		return nil, fmt.Errorf("cannot read the report: %w", err)
	}
	if report.Schema != Schema {
		return nil, fmt.Errorf("cannot read the report: schema %q, want %s", report.Schema, Schema)
	}
	return &report, nil
}

// agent notes who has answered.
func (r *Report) agent(info acp.Implementation) {
	if r.Agent == "" {
		r.Agent, r.Version = info.Name, info.Version
	}
}

// result finds the result of a cell, nil if it was not tried, or not to an end.
func (r *Report) result(c Cell) *Result {
	for i := range r.Results {
		if res := &r.Results[i]; res.Key == c.Key() && res.Skipped == "" && res.Error == "" {
			return res
		}
	}
	return nil
}

// Findings are the verdicts of the edits, for an idle session that was given nothing and whose file was replaced, with the conditions
// that this needs: a circumstance that was not tried, or in which the edit was not followed, is one.
func (r *Report) Findings() map[backends.Edit]backends.Finding {
	findings := map[backends.Edit]backends.Finding{}
	for _, edit := range backends.Edits() {
		plain := r.result(Cell{Edit: edit})
		if plain == nil {
			continue
		}
		f := backends.Finding{Verdict: plain.Verdict}
		if plain.Verdict.Followed() {
			for _, c := range []struct {
				condition backends.Condition
				tried     Cell
			}{
				{backends.ConditionNoInjection, Cell{Edit: edit, Injected: true}},
				{backends.ConditionNotInjected, Cell{Edit: edit, Injected: true, SameName: true}},
				{backends.ConditionAtomicRename, Cell{Edit: edit, InPlace: true}},
				{backends.ConditionIdle, Cell{Edit: edit, MidTurn: true}},
				{backends.ConditionAlone, Cell{Edit: edit, Second: true}},
			} {
				if res := r.result(c.tried); res == nil || !res.Verdict.Followed() {
					f.Conditions = append(f.Conditions, c.condition)
				}
			}
		}
		for i := range r.Results {
			if res := &r.Results[i]; res.Edit == edit {
				f.Observations = append(f.Observations, res.observations()...)
			}
		}
		if times := r.Latencies[edit]; len(times) > 0 {
			f.Observations = append(f.Observations, fmt.Sprintf("%d times in a row: %s", len(times), Spread(times)))
		}
		findings[edit] = f
	}
	return findings
}

// Spread says how times are spread.
func Spread(times []float64) string {
	sorted := slices.Sorted(slices.Values(times))
	if len(sorted) == 0 {
		return "never"
	}
	return fmt.Sprintf("%.2f s to %.2f s, median %.2f s", sorted[0], sorted[len(sorted)-1], sorted[len(sorted)/2])
}

// Evidence makes the evidence that a decision stands on. source is the program that has found it. It fails if nothing was found, or the agent has not said
// what version it is of.
func (r *Report) Evidence(source string) (backends.Evidence, error) {
	e := backends.Evidence{
		Backend: r.Backend, Agent: r.Agent, Version: r.Version, Date: r.Date, Kind: backends.EvidenceObserved, Source: source,
		Method: "isolated home, fake model, a live session over ACP; the agent's own file was edited on disk, and the server's journal, the wire, " +
			"what the model was offered and what its calls reached at the next prompt, and a new session were compared",
		Edits: r.Findings(),
	}
	for i := range r.Results {
		if res := &r.Results[i]; res.Error != "" {
			return e, fmt.Errorf("cannot make evidence of %s: %s was not finished: %s", r.Backend, res.Key, res.Error)
		}
	}
	if len(e.Edits) == 0 {
		return e, fmt.Errorf("cannot make evidence of %s: %w", r.Backend, errors.New("no edit was tried"))
	}
	_, err := e.Marshal()
	return e, err
}

// Follows reports whether all edits that hot reload needs were followed by an idle session that was given nothing.
func (r *Report) Follows() bool { return backends.Evidence{Edits: r.Findings()}.Reloads() }

// Failed returns the keys of the cells that could not be finished.
func (r *Report) Failed() []string {
	var keys []string
	for i := range r.Results {
		if r.Results[i].Error != "" {
			keys = append(keys, r.Results[i].Key)
		}
	}
	for _, e := range r.Extras {
		if e.Error != "" {
			keys = append(keys, e.Name)
		}
	}
	return keys
}

// Name is the agent with its version.
func (r *Report) Name() string {
	return cmp.Or(r.Agent, r.Backend) + " " + cmp.Or(r.Version, "of an unknown version")
}
