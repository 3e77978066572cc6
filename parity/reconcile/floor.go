package reconcile

import (
	"context"
	"fmt"

	"github.com/acpharness/acpharness/backends"
)

// FloorReport is a walk over versions, the lowest first.
type FloorReport struct {
	Schema  string `json:"schema"`
	Backend string `json:"backend"`
	// Versions are those that were tried, up to the first that follows all edits that hot reload needs.
	Versions []FloorVersion `json:"versions"`
	// Floor is that version, empty if none follows.
	Floor string `json:"floor"`
}

// FloorVersion is what one version does.
type FloorVersion struct {
	Version string                             `json:"version"` // as the process has reported it
	Follows bool                               `json:"follows"`
	Edits   map[backends.Edit]backends.Verdict `json:"edits"`
	Error   string                             `json:"error,omitempty"`
}

// Walk looks at the needed edits of versions of one agent, the lowest first, until one follows them all. Whatever edit is not followed ends
// a version. A version that cannot be looked at is no reason to go on: what is above it would not be the floor.
func Walk(ctx context.Context, versions []*Subject, opts *Options) (*FloorReport, error) {
	report := &FloorReport{Schema: Schema, Versions: []FloorVersion{}}
	for _, s := range versions {
		report.Backend = s.Descriptor.ID
		v := FloorVersion{Edits: map[backends.Edit]backends.Verdict{}, Follows: true}
		for _, edit := range []backends.Edit{backends.EditAdd, backends.EditDisable, backends.EditEnable, backends.EditRemove} {
			o := Options{}
			if opts != nil {
				o = *opts
			}
			o.Cells, o.Extras, o.Earlier, o.Repeat, o.Finished = []Cell{{Edit: edit}}, nil, nil, 0, nil
			seen, err := Run(ctx, s, &o)
			if err != nil {
				return report, err
			}
			v.Version = seen.Version
			res := seen.Results[0]
			v.Edits[edit], v.Error = res.Verdict, res.Error
			if !res.Verdict.Followed() {
				v.Follows = false
				break
			}
		}
		report.Versions = append(report.Versions, v)
		switch {
		case v.Error != "":
			return report, fmt.Errorf("cannot tell whether version %s follows: %s", v.Version, v.Error)
		case v.Follows:
			report.Floor = v.Version
			return report, nil
		}
	}
	return report, nil
}
