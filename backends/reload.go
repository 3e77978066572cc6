package backends

import "slices"

// Evidence returns what was seen of this backend, the lowest version first.
func (d Descriptor) Evidence() []Evidence { return cloneEvidence(d.evidence()) }

// evidence is Evidence without a copy.
func (d Descriptor) evidence() []Evidence {
	all, err := readEvidence()
	if err != nil {
		return nil // a test of this package makes sure that there is no error
	}
	var own []Evidence
	for _, e := range all {
		if e.Backend == d.ID {
			own = append(own, e)
		}
	}
	return own
}

// ReloadFloor is the lowest version in evidence that follows all that hot reload needs; unknown if there is none.
func (d Descriptor) ReloadFloor() Version { return reloadFloor(d.evidence()) }

// reloadFloor finds the floor in evidence of one backend, the lowest version first.
func reloadFloor(own []Evidence) Version {
	for _, e := range own {
		if e.Reloads() {
			return e.version()
		}
	}
	return Version{}
}

// HighestSeen is the highest version in evidence, unknown if there is none.
func (d Descriptor) HighestSeen() Version {
	own := d.evidence()
	if len(own) == 0 {
		return Version{}
	}
	return own[len(own)-1].version()
}

// HotReloads reports whether a process that reported this name and version follows edits of its MCP configuration: it is granted, the
// version is known, and not below the floor. Everything else is no.
func (d Descriptor) HotReloads(agentName, version string) bool {
	return d.Trust.HotReload.Granted && d.Trust.HotReload.Reloads() && d.VersionOf(agentName, version).AtLeast(d.ReloadFloor())
}

// UnverifiedAbove reports whether a version is higher than any that evidence speaks of.
func (d Descriptor) UnverifiedAbove(v Version) bool {
	highest := d.HighestSeen()
	return v.Known() && highest.Known() && v.Compare(highest) > 0
}

// Decision is what a backend may be trusted with by this evidence: nothing, unless every edit that hot reload needs is followed; then each
// edit as it was found. What descriptors decide is held against that of their newest evidence.
func (e Evidence) Decision() HotReload {
	if !e.Reloads() {
		return HotReload{}
	}
	h := HotReload{Granted: true, Table: map[Edit]EditDecision{}}
	for edit, f := range e.Edits {
		if edit != EditSpawnField {
			h.Table[edit] = EditDecision{Verdict: f.Verdict, Conditions: slices.Clone(f.Conditions), Inferred: f.Inferred}
		}
	}
	return h
}
