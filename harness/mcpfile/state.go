package mcpfile

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/acpharness/acpharness/backends"
)

// State is what a file said at one moment. It does not change.
type State struct {
	file    *File
	err     error
	missing bool
	ed      *editor // nil if it could not be read
}

// Row is one server of a file, or one that was taken out of it until it is enabled again.
type Row struct {
	// Name is the name of the entry.
	Name string
	// Source is what the file is among those of the agent, see backends.MCPFile, and File its path.
	Source, File string
	// Counts reports whether the agent reads the file.
	Counts bool
	// Disabled reports whether the agent leaves the server alone because it is told to.
	Disabled bool
	// Kept reports whether the entry is not in the file but in the state directory, since the agent obeys no marker.
	Kept bool
	// Malformed reports whether the entry is no mapping. Only Remove touches it.
	Malformed bool
	// Transport is how the server is reached, empty if the entry does not say it.
	Transport Transport
	// Spec is the entry without the marker.
	Spec Spec
	// Fingerprint is the same for two entries that say the same, whatever their order and spaces.
	Fingerprint string
	// Refs are the references to the server, if the agent wants any.
	Refs []string
}

// ParseState reads a text as if it were the content of the file.
func (f *File) ParseState(text []byte) *State {
	ed, err := newEditor(&f.layout, string(text))
	return &State{file: f, ed: ed, err: err}
}

// missingState is a file that is not there: it has no servers.
func (f *File) missingState() *State {
	ed, err := newEditor(&f.layout, blank(f.layout.Format))
	return &State{file: f, ed: ed, err: err, missing: true}
}

// Err says why the file could not be read; then nothing is known of it.
func (s *State) Err() error { return s.err }

// Missing reports whether there is no file.
func (s *State) Missing() bool { return s.missing }

// Includes reports whether the file includes those that count only then.
func (s *State) Includes() bool {
	if s.err != nil || s.ed.layout.IncludeKey == "" {
		return false
	}
	v, ok := s.ed.model.get(s.ed.layout.IncludeKey)
	return ok && v.is(true)
}

// Rows are the servers of the file in its order, nil if it could not be read.
func (s *State) Rows() []Row {
	if s.err != nil {
		return nil
	}
	rows := []Row{}
	for _, key := range s.ed.names() {
		rows = append(rows, s.row(key))
	}
	return rows
}

func (s *State) row(key string) Row {
	e := s.ed
	entry, _ := e.model.get(e.server(key)...)
	row := Row{Name: key, Source: e.layout.Source, File: s.file.path, Counts: true, Disabled: e.disabled(key), Fingerprint: fingerprint(entry)}
	row.fill(entry, e.layout)
	refs, _ := e.model.get(e.layout.RefsKey)
	for _, v := range refs.elems {
		if v.kind == text && refersTo(v.text, e.alias(key)) {
			row.Refs = append(row.Refs, v.text)
		}
	}
	return row
}

// fill reads what an entry says.
func (r *Row) fill(entry value, layout *backends.MCPFile) {
	r.Malformed = entry.kind != object
	r.Transport = transportOf(entry, &layout.Entry)
	if !r.Malformed && layout.Marker.Key != "" {
		entry = entry.without(layout.Marker.Key)
	}
	r.Spec = newSpec(entry, layout)
}

func fingerprint(entry value) string {
	sum := sha256.Sum256([]byte(entry.canonical()))
	return hex.EncodeToString(sum[:])
}

// same reports whether two states are of the same bytes.
func (s *State) same(t *State) bool {
	switch {
	case s.err != nil || t.err != nil:
		return s.err != nil && t.err != nil && s.err.Error() == t.err.Error()
	default:
		return s.missing == t.missing && s.ed.bom == t.ed.bom && s.ed.text == t.ed.text
	}
}

// sameNames reports whether two lists have the same names, in whatever order and however often.
func sameNames(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) }) &&
		!slices.ContainsFunc(b, func(s string) bool { return !slices.Contains(a, s) })
}

// Text is the content of the file, nil if it could not be read.
func (s *State) Text() []byte {
	if s.err != nil {
		return nil
	}
	return s.ed.bytes()
}
