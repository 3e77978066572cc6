package backends_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/backends"
)

func TestFloorAndHighest(t *testing.T) {
	kiro := lookup(t, "kiro")
	assert.Equal(t, "2.21.0", kiro.ReloadFloor().String())
	assert.True(t, kiro.HighestSeen().Known())
	assert.GreaterOrEqual(t, kiro.HighestSeen().Compare(kiro.ReloadFloor()), 0)

	claude := lookup(t, "claude")
	assert.False(t, claude.ReloadFloor().Known(), "no version in evidence follows")
	assert.Equal(t, "0.101.0", claude.HighestSeen().String())

	for _, d := range []backends.Descriptor{lookup(t, "pi"), {}} {
		assert.False(t, d.ReloadFloor().Known(), d.ID)
		assert.False(t, d.HighestSeen().Known(), d.ID)
		assert.Empty(t, d.Evidence(), d.ID)
	}
}

// Everything that is not known for certain is no.
func TestHotReloads(t *testing.T) {
	descriptors := map[string]backends.Descriptor{"kiro": lookup(t, "kiro"), "claude": lookup(t, "claude"), "zero": {}}
	own := map[string]string{"kiro": "Kiro CLI Agent", "claude": "@agentclientprotocol/claude-agent-acp", "zero": ""}
	versions := []struct {
		text string
		ok   bool
	}{
		{"2.20.9", false},
		{"2.21.0-rc.1", false},
		{"2.21.0", true},
		{"2.21", true},
		{"kiro-cli 2.21.0", true},
		{"2.21.0+build.7", true},
		{"2.21.1-rc.1", true},
		{"2.21.1", true},
		{"10.0.0", true},
		{"v2.21.0", false},
		{"2", false},
		{"latest", false},
		{"", false},
	}
	for id, d := range descriptors {
		names := map[string]bool{own[id]: true, "KIRO CLI AGENT": false, "kiro cli agent": false, "Kiro CLI Agent ": false, "somebody": false, "": false}
		if id != "kiro" {
			names["Kiro CLI Agent"] = false // that somebody else has the name of a trusted agent is no trust in it
		}
		for name, isOwn := range names {
			for _, v := range versions {
				want := id == "kiro" && isOwn && v.ok
				assert.Equal(t, want, d.HotReloads(name, v.text), "%s as %q in version %q", id, name, v.text)
			}
		}
	}
}

func TestHotReloadsNeedsTheGrantAndTheTable(t *testing.T) {
	d := lookup(t, "kiro")
	d.Trust.HotReload.Granted = false
	assert.False(t, d.HotReloads("Kiro CLI Agent", "2.21.0"))
	assert.Equal(t, backends.VerdictUnknown, d.Trust.HotReload.Of(backends.EditAdd).Verdict)

	for _, e := range []backends.Edit{backends.EditAdd, backends.EditDisable, backends.EditEnable, backends.EditRemove} {
		d := lookup(t, "kiro")
		delete(d.Trust.HotReload.Table, e)
		assert.False(t, d.HotReloads("Kiro CLI Agent", "2.21.0"), e)
	}

	// A grant without evidence has no floor, and nothing is at least that.
	other := lookup(t, "kiro")
	other.ID = "other"
	assert.False(t, other.HotReloads("Kiro CLI Agent", "99.0.0"))
}

func TestUnverifiedAbove(t *testing.T) {
	version := func(text string) backends.Version {
		v, _ := backends.ParseVersion(text)
		return v
	}
	kiro := lookup(t, "kiro")
	highest := kiro.HighestSeen()
	for _, tt := range []struct {
		version backends.Version
		want    bool
	}{
		{highest, false},
		{version("2.20.0"), false},
		{version("9999.0.0"), true},
		{version(highest.String() + "-rc.1"), false},
		{version("none"), false},
	} {
		assert.Equal(t, tt.want, kiro.UnverifiedAbove(tt.version), tt.version.String())
	}
	assert.False(t, backends.Descriptor{}.UnverifiedAbove(version("9999.0.0")), "nothing was seen that it could be above of")
}
