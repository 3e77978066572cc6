package mcpfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/acpharness/acpharness/internal/rewrite"
)

// kept is an entry that was taken out of a file to disable its server, since its agent obeys no marker. It has secrets in it.
type kept struct {
	File  string         `json:"file"` // behind links
	Path  string         `json:"path"` // before them: a link may become a file, and the other way round
	Name  string         `json:"name"`
	Entry jsontext.Value `json:"entry"` // as JSON, whatever the format of the file
	// Text is the member as it was written, name and value. Prev and Next are the names of the entries before and behind it, those that
	// were kept by then included.
	Text string   `json:"text"`
	Prev []string `json:"prev"`
	Next []string `json:"next"`
	// Undo puts the entry back where it was, byte for byte, into a text with the hash After.
	Undo  []undo `json:"undo"`
	After string `json:"after"`
}

type undo struct {
	At   int    `json:"at"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

// keptFile is what is in the file of kept entries.
type keptFile struct {
	Version int    `json:"version"`
	Servers []kept `json:"servers"`
}

// ErrKept says that the file of entries that were taken out cannot be used. It is left as it is.
var ErrKept = errors.New("the entries of disabled servers cannot be read: mend the file, or move it away to lose them")

// ErrKeptTwice says that there is an entry in the file, and another of its name that was taken out earlier. Neither is dropped.
var ErrKeptTwice = errors.New("another entry of that name was taken out earlier")

const keptVersion = 1

// keptStore is the file of kept entries. Its lock must be held.
type keptStore struct{ path string }

func keptIn(state string) keptStore {
	return keptStore{filepath.Join(state, "disabled-mcp-servers.json")}
}

func (s keptStore) read() ([]kept, *rewrite.Snapshot, error) {
	snap, err := rewrite.Read(s.path, maxSize)
	if err != nil || snap.Missing {
		return nil, snap, err
	}
	var all keptFile
	if err := json.Unmarshal(snap.Text, &all, json.RejectUnknownMembers(true)); err != nil || all.Version != keptVersion {
		return nil, nil, fmt.Errorf("%w: %s", ErrKept, s.path)
	}
	return all.Servers, snap, nil
}

func (s keptStore) write(list []kept) error {
	_, snap, err := s.read()
	if err != nil {
		return err
	}
	if len(list) == 0 && snap.Missing {
		return nil
	}
	text, err := json.Marshal(keptFile{keptVersion, list}, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return rewrite.Write(s.path, append(text, '\n'), 0o600)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// restorer is a document that can take an entry back as it was written.
type restorer interface {
	// member is the text of a member, name and value.
	member(path []string) string
	// restore puts the text of a member before the first of the members next that is there, or behind the last of prev.
	restore(parent []string, text string, prev, next []string) ([]splice, error)
}

// equal reports whether the entry says the same as another one.
func (k *kept) equal(spec value) bool {
	entry, err := parseJSON(string(k.Entry), false)
	return err == nil && entry.root().equal(spec)
}

// order are the names of the entries of a file with those that were taken out of it, each where it was.
func (v *view) order(s *State) []string {
	names := s.ed.names()
	for i := range slices.Backward(v.kept) { // what was taken out last goes back first
		k := &v.kept[i]
		if !v.keptFrom(k, s) || slices.Contains(names, k.Name) {
			continue
		}
		at := between(names, k.Prev, k.Next)
		names = slices.Insert(names, at, k.Name)
	}
	return names
}

// between is the place before the first of next that is there, or behind the last of prev, or at the end.
func between(names, prev, next []string) int {
	for _, name := range next {
		if i := slices.Index(names, name); i >= 0 {
			return i
		}
	}
	for _, name := range slices.Backward(prev) {
		if i := slices.Index(names, name); i >= 0 {
			return i + 1
		}
	}
	return len(names)
}

// putBack enters a kept entry into the text that it was taken out of: where it was to the byte if the text is the one that it left, else
// as it was written among the entries that it stood among.
func (e *editor) putBack(k *kept) error {
	entry, err := parseJSON(string(k.Entry), false)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrKept, quote(k.Name))
	}
	path, spec := e.server(k.Name), entry.root()
	if there, ok := e.model.get(path...); ok {
		if there.equal(spec) {
			return nil
		}
		return ErrKeptTwice
	}
	model := e.model.with(path, spec)
	names := e.names()
	names = slices.Insert(names, between(names, k.Prev, k.Next), k.Name)
	was := *e
	if splices, ok := k.fits(e.text); ok && e.step(splices, nil, model) == nil {
		if slices.Equal(e.names(), names) {
			return nil
		}
		*e = was // what has come meanwhile is in the way
	}
	if r, ok := e.doc.(restorer); ok {
		splices, err := r.restore(e.server(), k.Text, k.Prev, k.Next)
		if e.step(splices, err, model) == nil {
			return nil
		}
	}
	return e.put(path, spec, last)
}

// fits returns what undoes the removal, if the text is the one that it left.
func (k *kept) fits(text string) (splices []splice, ok bool) {
	if k.After != hash(text) {
		return nil, false
	}
	at := 0
	for _, u := range k.Undo {
		if u.At < at || u.To < u.At || u.To > len(text) {
			return nil, false
		}
		at = u.To
		splices = append(splices, splice{u.At, u.To, u.Text})
	}
	return splices, true
}

// follow makes kept entries of a file fit the text that an edit has made of the one that they fitted.
func follow(list []kept, file, before, after string) {
	from, to := hash(before), hash(after)
	// The edit is what lies between the common beginning and the common end.
	head := 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for i := range list {
		k := &list[i]
		if k.File != file || k.After != from {
			continue
		}
		moved := slices.Clone(k.Undo)
		fits := true
		for j := range moved {
			switch {
			case moved[j].To < head: // at a border it is not clear which of the two comes first
			case moved[j].At > len(before)-tail:
				moved[j].At += len(after) - len(before)
				moved[j].To += len(after) - len(before)
			default:
				fits = false
			}
		}
		if fits {
			k.Undo, k.After = moved, to
		}
	}
}
