package parity

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/acpharness/acpharness/backends"
)

// golden is what was committed of each backend: a change of it is meant, and looked at, or it is none.
type golden map[string]goldenBackend

type goldenBackend struct {
	Command  []string `json:"command"`
	Protocol string   `json:"protocol"`
	Sets     []string `json:"sets"`    // names
	Removes  []string `json:"removes"` // names
	Floor    string   `json:"floor"`   // of hot reload, "unknown" for none
	Highest  string   `json:"highestSeen"`
	// Trust has what was decided, without the reasons.
	Trust map[backends.TrustKey]string `json:"trust"`
	// Advertised are capabilities as the agent advertised them when an override of them was last looked at.
	Advertised map[string]bool `json:"advertised,omitempty"`
}

//go:embed golden/backends.json
var goldenText []byte

func readGolden() (golden, error) {
	var g golden
	dec := json.NewDecoder(bytes.NewReader(goldenText))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&g); err != nil {
		return nil, fmt.Errorf("cannot read golden/backends.json: %w", err)
	}
	return g, nil
}

// goldenOf is what would be committed of a backend. What it advertises is known only from running it: it stays.
func goldenOf(d backends.Descriptor, before goldenBackend) goldenBackend {
	g := goldenBackend{
		Command: append([]string{}, d.Launch.Argv()...), Protocol: d.ProtocolVersion,
		Sets: append([]string{}, slices.Sorted(maps.Keys(d.Env.Set))...), Removes: append([]string{}, d.Env.Scrub...),
		Floor: d.ReloadFloor().String(), Highest: d.HighestSeen().String(),
		Trust: map[backends.TrustKey]string{}, Advertised: before.Advertised,
	}
	for _, key := range backends.TrustKeys() {
		g.Trust[key] = d.Trust.Of(key).Value
	}
	return g
}
