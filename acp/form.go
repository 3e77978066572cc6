package acp

import (
	"encoding/json"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Form is what a user is to fill in: a flat list of fields (ElicitationSchema).
type Form struct {
	Title       string
	Description string
	Fields      []FormField // in the order that they were sent in
	Raw         json.RawMessage
}

// FormFieldType is the type of a field (the type of ElicitationPropertySchema). It is open.
type FormFieldType string

// The types of the protocol.
const (
	FieldString  FormFieldType = "string"
	FieldNumber  FormFieldType = "number"
	FieldInteger FormFieldType = "integer"
	FieldBoolean FormFieldType = "boolean"
	FieldArray   FormFieldType = "array" // some of Choices
)

// StringFormat is what a text has to be (StringFormat). It is open: texts of another format are not checked.
type StringFormat string

// The formats of the protocol.
const (
	FormatEmail    StringFormat = "email"
	FormatURI      StringFormat = "uri"
	FormatDate     StringFormat = "date"
	FormatDateTime StringFormat = "date-time"
)

// FormField is one field of a form (ElicitationPropertySchema and its variants). A bound that is nil is none.
type FormField struct {
	Name        string
	Title       string
	Description string
	Required    bool
	Type        FormFieldType
	Default     any // a string, bool, int64, float64 or []string; nil if there is none
	// Of a string:
	MinLength, MaxLength *int64 // in characters
	Pattern              string // a regular expression; one that Go does not know is not checked
	Format               StringFormat
	// Of a number or integer:
	Minimum, Maximum *float64
	// Of an array:
	MinItems, MaxItems *int64
	// Choices are the values of a string or the items of an array, if those are not free.
	Choices []FormChoice
	Raw     json.RawMessage
}

// FormChoice is one value to choose (EnumOption). Title is empty if the value speaks for itself.
type FormChoice struct {
	Value       string
	Title       string
	Description string
}

// FormError tells what is wrong with what was filled in.
type FormError struct {
	Field  string
	Reason string // it does not show the value
}

func (e *FormError) Error() string { return "the field " + e.Field + " " + e.Reason }

// Check returns a *FormError for the first field whose value the form does not allow, and for a value without a field.
func (f *Form) Check(content map[string]any) error {
	for i := range f.Fields {
		field := &f.Fields[i]
		value, filled := content[field.Name]
		switch {
		case filled:
			if err := field.Check(value); err != nil {
				return err
			}
		case field.Required:
			return &FormError{field.Name, "is required"}
		}
	}
	for name := range content {
		if !slices.ContainsFunc(f.Fields, func(f FormField) bool { return f.Name == name }) {
			return &FormError{name, "is none of the form's"}
		}
	}
	return nil
}

// Check returns a *FormError if the field does not allow a value. A field of an unknown type allows every value.
func (f *FormField) Check(value any) error {
	reason := ""
	switch f.Type {
	case FieldString:
		text, ok := value.(string)
		if !ok {
			reason = "is no text"
			break
		}
		reason = f.checkText(text)
	case FieldBoolean:
		if _, ok := value.(bool); !ok {
			reason = "is neither true nor false"
		}
	case FieldNumber, FieldInteger:
		reason = f.checkNumber(value)
	case FieldArray:
		items, ok := value.([]string)
		if !ok {
			reason = "is no list of texts"
			break
		}
		reason = f.checkItems(items)
	}
	if reason != "" {
		return &FormError{f.Name, reason}
	}
	return nil
}

func (f *FormField) checkText(text string) string {
	length := int64(utf8.RuneCountInString(text))
	pattern, err := regexp.Compile(f.Pattern)
	switch {
	case !utf8.ValidString(text):
		return "is no valid UTF-8"
	case f.Choices != nil && !f.offers(text):
		return "is none of its choices"
	case f.MinLength != nil && length < *f.MinLength:
		return fmt.Sprintf("is shorter than %d characters", *f.MinLength)
	case f.MaxLength != nil && length > *f.MaxLength:
		return fmt.Sprintf("is longer than %d characters", *f.MaxLength)
	case f.Pattern != "" && err == nil && !pattern.MatchString(text):
		return "does not match " + f.Pattern
	case !f.Format.allows(text):
		return "is no " + string(f.Format)
	}
	return ""
}

func (f StringFormat) allows(text string) bool {
	switch f {
	case FormatEmail:
		address, err := mail.ParseAddress(text)
		return err == nil && address.Name == "" && address.Address == text
	case FormatURI:
		u, err := url.Parse(text)
		return err == nil && u.IsAbs()
	case FormatDate:
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case FormatDateTime:
		_, err := time.Parse(time.RFC3339, strings.ToUpper(text))
		return err == nil
	}
	return true
}

func (f *FormField) checkNumber(value any) string {
	var n float64
	switch v := value.(type) {
	case int:
		n = float64(v)
	case int64:
		n = float64(v)
	case float64:
		n = v
	default:
		return "is no number"
	}
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0):
		return "is no number"
	case f.Type == FieldInteger && n != math.Trunc(n):
		return "is no whole number"
	case f.Minimum != nil && n < *f.Minimum:
		return fmt.Sprintf("is less than %v", *f.Minimum)
	case f.Maximum != nil && n > *f.Maximum:
		return fmt.Sprintf("is more than %v", *f.Maximum)
	}
	return ""
}

func (f *FormField) checkItems(items []string) string {
	switch count := int64(len(items)); {
	case f.MinItems != nil && count < *f.MinItems:
		return fmt.Sprintf("has less than %d items", *f.MinItems)
	case f.MaxItems != nil && count > *f.MaxItems:
		return fmt.Sprintf("has more than %d items", *f.MaxItems)
	}
	for i, item := range items {
		if f.Choices != nil && !f.offers(item) || slices.Contains(items[:i], item) {
			return "has an item that is none of its choices, or one twice"
		}
	}
	return ""
}

func (f *FormField) offers(value string) bool {
	return slices.ContainsFunc(f.Choices, func(c FormChoice) bool { return c.Value == value })
}
