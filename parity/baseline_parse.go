package parity

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ParseBaseline reads a baseline. It is strict, since a misspelt one would excuse nothing, or something else; the error has every fault
// that was found, on a line of its own.
func ParseBaseline(text []byte) (Baseline, error) {
	p := &baselineParser{dec: jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))}
	b, err := p.baseline()
	if err != nil {
		p.faults = append(p.faults, err)
	}
	if len(p.faults) > 0 {
		return Baseline{}, fmt.Errorf("cannot use the baseline: %w", errors.Join(p.faults...))
	}
	return b, nil
}

// baselineParser collects faults. What its methods return as an error is where the text is no JSON, so that nothing can follow.
type baselineParser struct {
	dec    *jsontext.Decoder
	faults []error
}

func (p *baselineParser) fault(where, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if where != "" {
		text = where + ": " + text
	}
	p.faults = append(p.faults, errors.New(text))
}

func (p *baselineParser) baseline() (Baseline, error) {
	var b Baseline
	err := p.object("", []string{"schema", "expected"}, func(name string) error {
		if name == "schema" {
			return p.text(name, &b.Schema)
		}
		return p.expectations(&b.Expected)
	})
	if err != nil {
		return b, err
	}
	if b.Schema != "" && b.Schema != BaselineSchema {
		p.fault("schema", "it is %q, want %q", b.Schema, BaselineSchema)
	}
	if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return b, errors.New("something follows the object")
	}
	return b, nil
}

func (p *baselineParser) expectations(list *[]Expectation) error {
	if p.dec.PeekKind() != jsontext.KindBeginArray {
		p.fault("expected", "want an array")
		return p.dec.SkipValue()
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return err
	}
	named := map[cellKey]int{}
	for i := 0; p.dec.PeekKind() != jsontext.KindEndArray; i++ {
		where := fmt.Sprintf("expected[%d]", i)
		e, before := Expectation{}, len(p.faults)
		members := map[string]*string{"backend": &e.Backend, "check": &e.Check, "subject": &e.Subject, "reason": &e.Reason, "link": &e.Link}
		err := p.object(where, []string{"backend", "check", "subject", "reason"}, func(name string) error {
			return p.text(where+"."+name, members[name])
		}, "link")
		if err != nil {
			return err
		}
		if len(p.faults) > before {
			continue // its key may not be what was meant
		}
		if first, twice := named[e.key()]; twice {
			p.fault(where, "it names the same cell as expected[%d]", first)
			continue
		}
		named[e.key()] = i
		*list = append(*list, e)
	}
	_, err := p.dec.ReadToken()
	return err
}

// object reads an object that has all the required members, and the optional ones if it likes. take reads a value.
func (p *baselineParser) object(where string, required []string, take func(name string) error, optional ...string) error {
	if p.dec.PeekKind() != jsontext.KindBeginObject {
		p.fault(where, "want an object")
		return p.dec.SkipValue()
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.dec.PeekKind() != jsontext.KindEndObject {
		token, err := p.dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		known := slices.Contains(required, name) || slices.Contains(optional, name)
		read := take
		switch {
		case !known:
			p.fault(where, "unknown member %q", name)
		case seen[name]:
			p.fault(where, "the member %q is there twice", name)
		}
		if !known || seen[name] {
			read = func(string) error { return p.dec.SkipValue() }
		}
		seen[name] = true
		if err := read(name); err != nil {
			return err
		}
	}
	for _, name := range required {
		if !seen[name] {
			p.fault(where, "the member %q is missing", name)
		}
	}
	_, err := p.dec.ReadToken()
	return err
}

// text reads a string that says something.
func (p *baselineParser) text(where string, to *string) error {
	if p.dec.PeekKind() != jsontext.KindString {
		p.fault(where, "want a string")
		return p.dec.SkipValue()
	}
	token, err := p.dec.ReadToken()
	if err != nil {
		return err
	}
	*to = token.String()
	if strings.TrimSpace(*to) == "" {
		p.fault(where, "it is empty")
	}
	return nil
}
