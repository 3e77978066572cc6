package backends

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Evidence is what was seen of an agent in one version when its MCP configuration was edited while a session was live. It is a file
// of this package: backends/evidence/BACKEND-VERSION.json.
type Evidence struct {
	Backend string       `json:"backend"`
	Agent   string       `json:"agent"`          // agentInfo.name
	Version string       `json:"version"`        // agentInfo.version
	Date    string       `json:"date,omitempty"` // 2006-01-02; empty only where the source of cited evidence does not say it
	Kind    EvidenceKind `json:"kind"`
	Source  string       `json:"source"` // who has seen it: a public report, or the program that made the file
	Method  string       `json:"method"` // how
	// Edits has what was found for each edit that was tried.
	Edits map[Edit]Finding `json:"edits"`
}

// EvidenceKind says how far evidence goes.
type EvidenceKind string

// The kinds of evidence.
const (
	EvidenceObserved EvidenceKind = "observed" // by this project, and repeatable by it
	EvidenceCited    EvidenceKind = "cited"    // by somebody else, who says how
)

// Finding is what was found for one edit.
type Finding struct {
	Verdict    Verdict     `json:"verdict"`
	Inferred   bool        `json:"inferred,omitempty"` // concluded from other findings; such an edit is never skipped unconfirmed
	Conditions []Condition `json:"conditions,omitempty"`
	// Observations are what was seen, a sentence each.
	Observations []string `json:"observations"`
}

//go:embed evidence/*.json
var evidenceFiles embed.FS

const evidenceSchema = "acpharness.evidence/1"

// AllEvidence returns the evidence of all backends, by backend and then by version.
func AllEvidence() ([]Evidence, error) {
	all, err := readEvidence()
	return cloneEvidence(all), err
}

// readEvidence reads the files once: whether a process follows an edit is asked often. Nobody changes what it returns.
var readEvidence = sync.OnceValues(func() ([]Evidence, error) {
	entries, err := evidenceFiles.ReadDir("evidence")
	if err != nil {
		return nil, fmt.Errorf("cannot read the evidence: %w", err)
	}
	var all []Evidence
	for _, entry := range entries {
		text, err := evidenceFiles.ReadFile("evidence/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("cannot read the evidence: %w", err)
		}
		e, err := ParseEvidence(text)
		if err == nil && path.Base(entry.Name()) != e.FileName() {
			err = fmt.Errorf("it belongs into %s", e.FileName())
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the evidence in %s: %w", entry.Name(), err)
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b Evidence) int {
		if a.Backend != b.Backend {
			return strings.Compare(a.Backend, b.Backend)
		}
		return a.version().Compare(b.version())
	})
	return all, nil
})

func cloneEvidence(all []Evidence) []Evidence {
	all = slices.Clone(all)
	for i := range all {
		all[i].Edits = maps.Clone(all[i].Edits)
		for edit, f := range all[i].Edits {
			f.Conditions, f.Observations = slices.Clone(f.Conditions), slices.Clone(f.Observations)
			all[i].Edits[edit] = f
		}
	}
	return all
}

// ParseEvidence reads a file of evidence. Unknown members and words are errors.
func ParseEvidence(text []byte) (Evidence, error) {
	var file struct {
		Schema string `json:"schema"`
		Evidence
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return Evidence{}, fmt.Errorf("cannot read evidence: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Evidence{}, errors.New("cannot read evidence: more data after the object")
	}
	if file.Schema != evidenceSchema {
		return Evidence{}, fmt.Errorf("cannot read evidence: schema %q, want %s", file.Schema, evidenceSchema)
	}
	return file.Evidence, file.validate()
}

// Marshal renders a file of evidence, as ParseEvidence reads it.
func (e Evidence) Marshal() ([]byte, error) {
	if err := e.validate(); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(struct {
		Schema string `json:"schema"`
		Evidence
	}{evidenceSchema, e}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("cannot render evidence: %w", err)
	}
	return append(text, '\n'), nil
}

// FileName is the name of the evidence's file.
func (e Evidence) FileName() string { return e.Backend + "-" + e.version().String() + ".json" }

func (e Evidence) version() Version {
	v, _ := ParseVersion(e.Version)
	return v
}

// Reloads reports whether every edit that hot reload needs is followed.
func (e Evidence) Reloads() bool {
	return !slices.ContainsFunc(neededEdits(), func(edit Edit) bool { return !e.Edits[edit].Verdict.Followed() })
}

func (e Evidence) validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !isID(e.Backend) || e.Agent == "" {
		fault("it names no backend or no agent")
	}
	if !e.version().Known() {
		fault("version %q is none", e.Version)
	}
	if _, err := time.Parse(time.DateOnly, e.Date); err != nil && (e.Date != "" || e.Kind != EvidenceCited) {
		fault("date %q is none", e.Date)
	}
	if e.Kind != EvidenceObserved && e.Kind != EvidenceCited {
		fault("kind %q is neither observed nor cited", e.Kind)
	}
	if strings.TrimSpace(e.Source) == "" || strings.TrimSpace(e.Method) == "" {
		fault("it does not say who has seen it, and how")
	}
	if len(e.Edits) == 0 {
		fault("it has no edits")
	}
	for _, edit := range sortedKeys(e.Edits) {
		f := e.Edits[edit]
		switch {
		case !edit.Known():
			fault("edit %q is none", edit)
		case !slices.Contains(Verdicts(), f.Verdict):
			fault("verdict %q of %s is none", f.Verdict, edit)
		case len(f.Observations) == 0 || slices.ContainsFunc(f.Observations, func(o string) bool { return strings.TrimSpace(o) == "" }):
			fault("%s has no observations", edit)
		}
		for _, c := range f.Conditions {
			if !c.Known() {
				fault("condition %q of %s is none", c, edit)
			}
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("cannot use evidence of %q: %w", e.Backend, errors.Join(faults...))
	}
	return nil
}

func sortedKeys[K ~string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
