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
	value  value
	secret []string // members whose values are secrets
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
	return Spec{value: doc.root()}, nil
}

func newSpec(v value, form *backends.MCPEntry) Spec {
	return Spec{v, []string{form.EnvKey, form.HeadersKey}}
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

// mask leaves the values of what every agent calls alike, and masks whatever is in mappings, since that is where environments and
// headers are, under whatever name.
func (s Spec) mask() value {
	v := s.value
	for _, m := range v.members {
		if m.value.kind == object || slices.Contains(s.secret, m.name) {
			v = v.with([]string{m.name}, maskValues(m.value))
		} else if m.value.kind == text {
			v = v.with([]string{m.name}, textValue(maskURL(m.value.text)))
		}
	}
	return v
}

func maskValues(v value) value {
	switch v.kind {
	case object:
		w := value{kind: object}
		for _, m := range v.members {
			w.members = append(w.members, member{m.name, maskValues(m.value)})
		}
		return w
	case array:
		w := value{kind: array}
		for _, e := range v.elems {
			w.elems = append(w.elems, maskValues(e))
		}
		return w
	default:
		return maskedValue
	}
}

// maskURL leaves of an address what is no secret: its parameters and user may be.
func maskURL(s string) string {
	if !strings.Contains(s, "://") {
		return s
	}
	u, err := url.Parse(s)
	if err != nil {
		return maskedValue.text
	}
	if u.User != nil {
		u.User = url.User(maskedValue.text)
	}
	query := u.Query()
	for name := range query {
		query.Set(name, maskedValue.text)
	}
	u.RawQuery = query.Encode()
	if u.User == nil && len(query) == 0 {
		return s
	}
	return u.String()
}
