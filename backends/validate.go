package backends

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Validate checks that the descriptor is complete and consistent in itself.
// The error names every fault; it never contains a value of Env.Set.
func (d Descriptor) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }

	d.validateNames(fault)
	d.validateLaunch(fault)
	d.Env.validate(fault)
	d.validateObserved(fault)
	d.validateTrust(fault)
	d.validateOverrides(fault)
	d.validateMCPFiles(fault)
	for _, m := range d.SignIn {
		if strings.TrimSpace(m.Method) == "" || len(m.Env) == 0 || slices.ContainsFunc(m.Env, func(name string) bool { return !isVariable(name) }) {
			fault("the sign-in %q does not say which variables it needs", m.Method)
		}
	}
	if err := validateLiteral(d.ProtocolVersion); err != nil {
		faults = append(faults, err)
	}
	for _, note := range d.Notes {
		if strings.TrimSpace(note) == "" {
			fault("a note is blank")
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("cannot use backend descriptor %q: %w", d.ID, errors.Join(faults...))
	}
	return nil
}

// isID is the id syntax of the public registry.
func isID(s string) bool { return regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(s) }

func (d Descriptor) validateNames(fault func(string, ...any)) {
	ids := append([]string{d.ID}, d.Aliases...)
	for _, id := range ids {
		if !isID(id) {
			fault("id or alias %q is not lower-case letters, digits and dashes", id)
		}
	}
	if twice, ok := duplicate(ids); ok {
		fault("id or alias %q is given twice", twice)
	}
	if d.RegistryID != "" && !isID(d.RegistryID) {
		fault("registry id %q is not lower-case letters, digits and dashes", d.RegistryID)
	}
	if strings.TrimSpace(d.Name) == "" {
		fault("the name is blank")
	}
	// A name that nobody has seen is not made up: the versions of an agent that nobody has run may stay unknown.
	if len(d.AgentNames) == 0 && (d.Builtin || d.Observed.Run || d.Observed.Note == "") {
		fault("no agent name is given")
	}
	for _, name := range d.AgentNames {
		if name == "" || name != strings.TrimSpace(name) {
			fault("agent name %q is empty or padded", name)
		}
	}
	if twice, ok := duplicate(d.AgentNames); ok {
		fault("agent name %q is given twice", twice)
	}
}

func (d Descriptor) validateLaunch(fault func(string, ...any)) {
	if d.Builtin {
		if d.Launch.Command != "" || len(d.Launch.Args) > 0 {
			fault("the built-in agent has a launch command")
		}
		return
	}
	if d.Launch.Command == "" || d.Launch.Command != strings.TrimSpace(d.Launch.Command) {
		fault("launch command %q is empty or padded", d.Launch.Command)
	}
	if strings.TrimSpace(d.Install.Hint) == "" {
		fault("the install hint is blank")
	}
	for _, name := range d.Install.Packages {
		if name == "" || strings.LastIndexByte(name, '@') > 0 || strings.ContainsAny(name, " \t\n") {
			fault("npm package %q is not a bare name", name)
		}
	}
	if twice, ok := duplicate(d.Install.Packages); ok {
		fault("npm package %q is given twice", twice)
	}
}

func isVariable(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00 ") }

func (e Environment) validate(fault func(string, ...any)) {
	set := slices.Sorted(maps.Keys(e.Set))
	for _, name := range append(set, e.Scrub...) {
		if !isVariable(name) {
			fault("environment name %q is not a name", name)
		}
	}
	for _, name := range set {
		if strings.ContainsRune(e.Set[name], 0) {
			fault("the value of environment variable %q contains a NUL", name)
		}
		if slices.Contains(e.Scrub, name) {
			fault("environment variable %q is both set and scrubbed", name)
		}
	}
	if twice, ok := duplicate(e.Scrub); ok {
		fault("environment variable %q is scrubbed twice", twice)
	}
}

func (d Descriptor) validateObserved(fault func(string, ...any)) {
	o := d.Observed
	switch {
	case d.Builtin:
		if o.Run || o.Version != "" || o.Date != "" {
			fault("the built-in agent has an observation")
		}
	case o.Run:
		if o.Version == "" || o.Version != strings.TrimSpace(o.Version) {
			fault("the version that was run, %q, is empty or padded", o.Version)
		}
		if _, err := time.Parse(time.DateOnly, o.Date); err != nil {
			fault("cannot read the date of the run: %w", err)
		}
	default:
		if o.Version != "" || o.Date != "" {
			fault("a version or date is given though nobody has run it")
		}
		if strings.TrimSpace(o.Note) == "" {
			fault("nothing says why nobody has run it")
		}
	}
}

// validateLiteral accepts what initialize may carry as protocolVersion: a JSON
// number from 0 to 65535, or a JSON string that is not empty.
func validateLiteral(literal string) error {
	var value any
	if err := json.Unmarshal([]byte(literal), &value); err != nil {
		return fmt.Errorf("cannot read protocol version literal %q: %w", literal, err)
	}
	switch v := value.(type) {
	case float64:
		if v == float64(uint16(v)) {
			return nil
		}
	case string:
		if v != "" {
			return nil
		}
	}
	return fmt.Errorf("protocol version literal %q is neither a small whole number nor a string", literal)
}

// duplicate returns the first element that occurs a second time.
func duplicate(list []string) (string, bool) {
	for i, s := range list {
		if slices.Contains(list[:i], s) {
			return s, true
		}
	}
	return "", false
}
