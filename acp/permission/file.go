package permission

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Load reads a policy from a JSON file, see [ParseRules]. The error names the file, the line and the member.
func Load(file string) (*Rules, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the permission policy: %w", err)
	}
	r, err := ParseRules(text)
	if err != nil {
		return nil, fmt.Errorf("cannot read the permission policy %s: %w", file, err)
	}
	return r, nil
}

// ParseRules reads a policy from JSON, with the members of [Rules] and [Rule]. Members that are unknown, null or there
// twice, unknown words and bad patterns are errors, which name the line and the member.
func ParseRules(text []byte) (*Rules, error) {
	offsets, err := survey(text)
	if err != nil {
		return nil, at(text, err)
	}
	r := &Rules{}
	if err := json.Unmarshal(text, r, json.RejectUnknownMembers(true)); err != nil {
		return nil, at(text, err)
	}
	if err := r.check(); err != nil {
		if m, ok := errors.AsType[*memberError](err); ok {
			where := jsontext.Pointer(m.pointer)
			for offsets[where] == 0 && where != "" { // what is missing is missing in what there is
				where = where.Parent()
			}
			return nil, &positionError{line(text, offsets[where]), m.pointer, m.err}
		}
		return nil, err
	}
	return r, nil
}

// positionError is a mistake at a place of a file.
type positionError struct {
	line    int
	pointer string
	err     error
}

func (e *positionError) Error() string {
	where := fmt.Sprintf("line %d", e.line)
	if e.pointer != "" {
		where += ", " + e.pointer
	}
	return where + ": " + e.err.Error()
}

func (e *positionError) Unwrap() error { return e.err }

// at says where in the text an error of the JSON library is.
func at(text []byte, err error) error {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		cause := e.Err
		switch {
		case errors.Is(err, json.ErrUnknownName):
			cause = errors.New("there is no such member")
		case cause == nil:
			cause = fmt.Errorf("a %s does not belong here", e.JSONKind)
		}
		return &positionError{line(text, e.ByteOffset), string(e.JSONPointer), cause}
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return &positionError{line(text, e.ByteOffset), string(e.JSONPointer), e.Err}
	}
	return err
}

func line(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
}

// survey walks through the text, and refuses what would silently be no condition. It returns where the members are.
func survey(text []byte) (map[jsontext.Pointer]int64, error) {
	offsets := map[jsontext.Pointer]int64{}
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if kind := dec.PeekKind(); kind != '{' && kind != 0 {
		return nil, &positionError{line(text, dec.InputOffset()), "", errors.New("want an object")}
	}
	for {
		token, err := dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF) && len(offsets) > 0:
			return offsets, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("it is empty")
		case err != nil:
			return nil, err
		}
		if where := dec.StackPointer(); offsets[where] == 0 { // the end of a member is no news
			offsets[where] = dec.InputOffset()
		}
		if token.Kind() == 'n' {
			return nil, &positionError{line(text, dec.InputOffset()), string(dec.StackPointer()), errors.New("null is no value here: leave it out")}
		}
	}
}
