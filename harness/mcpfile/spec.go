package mcpfile

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// Spec is the entry of a server in the agent's own terms, with everything that it says.
type Spec struct {
	value value
	plain []string // members whose texts are no secrets
}

// ParseSpec reads a JSON object. Errors have nothing of its content.
func ParseSpec(text string) (Spec, error) {
	doc, err := parseJSON(text, false)
	if err != nil {
		return Spec{}, errors.New("cannot read the entry of a server: it is no JSON object")
	}
	if _, ok := doc.root().twice(); ok {
		return Spec{}, errors.New("cannot read the entry of a server: a member is there twice")
	}
	if !doc.root().whole() {
		return Spec{}, errors.New("cannot read the entry of a server: a text has half of a surrogate pair")
	}
	return Spec{doc.root(), nil}, nil
}

// plainKeys are what every agent calls alike. Addresses are masked in part.
var plainKeys = []string{"type", "command", "args", "cwd", "url", "httpUrl"}

func newSpec(v value, layout *backends.MCPFile) Spec {
	e, f := &layout.Entry, &layout.Filter
	plain := []string{e.TypeKey, e.CommandKey, e.ArgsKey, e.CwdKey, e.URLKey, e.SSEURLKey, f.Include, f.Exclude}
	return Spec{v, append(plain, layout.RuleKeys...)}
}

// JSON is the entry as a JSON object, secrets included.
func (s Spec) JSON() string { return s.value.json() }

// Masked is JSON for people: of what may be a secret it has the names only.
func (s Spec) Masked() string { return s.mask().json() }

// String is Masked.
func (s Spec) String() string { return s.Masked() }

// GoString is Masked, so that %#v shows no value either.
func (s Spec) GoString() string { return s.Masked() }

// MarshalJSON is Masked: what is printed is printed for people.
func (s Spec) MarshalJSON() ([]byte, error) { return []byte(s.Masked()), nil }

// Zero reports whether there is no entry.
func (s Spec) Zero() bool { return s.value.kind == 0 }

var maskedValue = textValue("[redacted]")

// mask leaves numbers, booleans and the texts of members that are known, and masks everything else, under whatever name it is.
func (s Spec) mask() value {
	v := s.value
	for _, m := range v.members {
		if m.value.kind == literal && m.value.whole() {
			continue
		}
		plain := m.name != "" && (slices.Contains(plainKeys, m.name) || slices.Contains(s.plain, m.name))
		v = v.with([]string{m.name}, maskValues(m.value, plain))
	}
	return v
}

// maskValues masks what is in a value, but for the texts of one that is plain: its own, or those of its list.
func maskValues(v value, plain bool) value {
	switch v.kind {
	case object:
		w := value{kind: object}
		for _, m := range v.members {
			w.members = append(w.members, member{m.name, maskValues(m.value, false)})
		}
		return w
	case array:
		w := value{kind: array}
		for _, e := range v.elems {
			w.elems = append(w.elems, maskValues(e, plain && e.kind == text))
		}
		return w
	default:
		if plain && v.kind == text {
			return textValue(maskURL(v.text))
		}
		return maskedValue
	}
}

// maskURL leaves of an address what is no secret: its user, its parameters and its fragment may be.
func maskURL(s string) string {
	if !strings.Contains(s, "://") {
		return s
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Opaque != "" { // no address, though there is one in it
		return maskedValue.text
	}
	if u.User == nil && !strings.ContainsAny(s, "?#") {
		return s
	}
	masked := *u
	masked.User, masked.RawQuery, masked.ForceQuery, masked.Fragment, masked.RawFragment = nil, "", false, "", ""
	address := masked.String()
	if u.User != nil {
		address = strings.Replace(address, "://", "://"+maskedValue.text+"@", 1)
	}
	if u.RawQuery != "" {
		address += "?" + maskedValue.text
	}
	if u.Fragment != "" {
		address += "#" + maskedValue.text
	}
	return address
}
