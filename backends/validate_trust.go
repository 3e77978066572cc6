package backends

import (
	"regexp"
	"slices"
	"strings"
)

// validateTrust checks that everything is decided, and that nothing is granted beyond what was seen.
func (d Descriptor) validateTrust(fault func(string, ...any)) {
	for _, key := range TrustKeys() {
		if strings.TrimSpace(d.Trust.Of(key).Reason) == "" {
			fault("nothing is decided about %s", key)
		}
	}
	if when := d.Trust.ReadsConfig.When; !slices.Contains([]ReadingTime{ReadAtSession, ReadAtStart, ReadByCWD}, when) {
		fault("%q is no time to read a configuration", when)
	}
	if asks := d.Trust.AsksPermission; asks.Mode != "" && !asks.Granted {
		fault("a mode to ask in, %q, is given and asking is not granted", asks.Mode)
	}
	d.Trust.HotReload.validate(fault)
	if d.Trust.HotReload.Granted {
		d.Trust.HotReload.prove(d.Evidence(), fault)
	}
}

// validate checks the table in itself.
func (h HotReload) validate(fault func(string, ...any)) {
	if len(h.Table) > 0 && !h.Granted {
		fault("a table of edits is given and hot reload is not granted")
	}
	for _, edit := range sortedKeys(h.Table) {
		decided := h.Table[edit]
		switch {
		case !edit.Known():
			fault("edit %q in the table is none", edit)
		case edit == EditSpawnField:
			fault("%s is in the table, and only a new process can know it", edit)
		}
		if !slices.Contains(Verdicts(), decided.Verdict) {
			fault("verdict %q of %s in the table is none", decided.Verdict, edit)
		}
		for _, c := range decided.Conditions {
			if !c.Known() {
				fault("condition %q of %s in the table is none", c, edit)
			}
		}
	}
}

// prove checks that the table says nothing beyond the evidence of the backend, the lowest version first. What is below the floor does
// not count: it is there because that version was different.
func (h HotReload) prove(own []Evidence, fault func(string, ...any)) {
	floor := reloadFloor(own)
	if !floor.Known() {
		fault("hot reload is granted, and there is no evidence of a version that follows all that it needs")
		return
	}
	for _, edit := range sortedKeys(h.Table) {
		decided := h.Table[edit]
		for _, e := range own {
			if !e.version().AtLeast(floor) {
				continue
			}
			found, ok := e.Edits[edit]
			if !ok {
				// A later version that was looked at for less is no contradiction.
				if e.version().Compare(floor) == 0 {
					fault("the table speaks of %s, and the evidence of %s does not", edit, e.Version)
				}
				continue
			}
			if found.Verdict != decided.Verdict {
				fault("the table says %q of %s, and the evidence of %s says %q", decided.Verdict, edit, e.Version, found.Verdict)
			}
			if found.Inferred != decided.Inferred {
				fault("the table and the evidence of %s do not agree whether %s is inferred", e.Version, edit)
			}
			for _, c := range found.Conditions {
				if !slices.Contains(decided.Conditions, c) {
					fault("the table leaves out the condition %s of %s, which the evidence of %s has", c, edit, e.Version)
				}
			}
		}
	}
}

// isCapability is the syntax of a path of agentCapabilities.
func isCapability(s string) bool {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`).MatchString(s)
}

func (d Descriptor) validateOverrides(fault func(string, ...any)) {
	var paths []string
	for _, o := range d.Overrides {
		if !isCapability(o.Capability) {
			fault("the override of %q names no capability", o.Capability)
		}
		if strings.TrimSpace(o.Evidence) == "" {
			fault("the override of %q has no evidence", o.Capability)
		}
		paths = append(paths, o.Capability)
	}
	if twice, ok := duplicate(paths); ok {
		fault("capability %q is overridden twice", twice)
	}
}
