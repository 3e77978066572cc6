package backends

import (
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Version is the version of an agent, as its process reported it. The zero value is unknown, and an unknown version is never at
// least anything.
type Version struct {
	parsed *semver.Version // nil if it is unknown
}

// longestVersion bounds what is looked at: agents report anything.
const longestVersion = 200

// versionPattern is what is taken for a version: two or three numbers without leading zeros, a pre-release and build metadata, with the
// name of the program in front or a remark in parentheses behind. Numbers are ASCII and of nine digits at most. The library would take
// much more than that for a version.
const versionPattern = `^(?:[A-Za-z][A-Za-z0-9_.]+(?:-[A-Za-z0-9_.]+)* )?` +
	`((?:0|[1-9][0-9]{0,8})\.(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8}))?(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)` +
	`(?: \([^()]*\))?$`

// ParseVersion reads a version, such as agentInfo.version or what a program prints with --version: "2.21.0", "2.21", "kiro-cli 2.21.0",
// "0.36.0 (commit 7c61e5bb)", "1.2.3-rc.1+5". It reports false, and the version is unknown, for anything else: a v in front, one
// number, four numbers, leading zeros, or whatever is no version.
func ParseVersion(text string) (Version, bool) {
	if len(text) > longestVersion {
		return Version{}, false
	}
	match := regexp.MustCompile(versionPattern).FindStringSubmatch(strings.TrimSpace(text))
	if match == nil {
		return Version{}, false
	}
	number, suffix := match[1], ""
	if i := strings.IndexAny(number, "-+"); i >= 0 {
		number, suffix = number[:i], number[i:]
	}
	if strings.Count(number, ".") == 1 {
		number += ".0"
	}
	parsed, err := semver.StrictNewVersion(number + suffix)
	if err != nil { // of a pre-release, such as one with leading zeros
		return Version{}, false
	}
	return Version{parsed}, true
}

// Known reports whether it is a version at all.
func (v Version) Known() bool { return v.parsed != nil }

// Compare returns -1, 0 or 1 if v is below, equal to or above other, by the order of semantic versions: a pre-release is below its
// release, and build metadata does not count. An unknown version is below every known one.
func (v Version) Compare(other Version) int {
	switch {
	case v.parsed == nil && other.parsed == nil:
		return 0
	case v.parsed == nil:
		return -1
	case other.parsed == nil:
		return 1
	}
	return v.parsed.Compare(other.parsed)
}

// AtLeast reports whether both are known and v is not below floor.
func (v Version) AtLeast(floor Version) bool {
	return v.Known() && floor.Known() && v.Compare(floor) >= 0
}

// String returns the version in full, "unknown" if it is that.
func (v Version) String() string {
	if v.parsed == nil {
		return "unknown"
	}
	return v.parsed.String()
}

// VersionOf reads the version that a process reported of itself, under the name that it gave. A name that the descriptor does not know
// may count its versions in any way, so that the version is unknown. Names are compared exactly.
func (d Descriptor) VersionOf(agentName, version string) Version {
	if !slices.Contains(d.AgentNames, agentName) {
		return Version{}
	}
	v, _ := ParseVersion(version)
	return v
}
