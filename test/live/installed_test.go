package live

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

// pinned is a line of agents.txt.
type pinned struct {
	id       string
	packages []string // name@version
}

// version is that of the first package.
func (p pinned) version() string {
	first := p.packages[0]
	return first[strings.LastIndexByte(first, '@')+1:]
}

// pins reads agents.txt.
func pins(t *testing.T) []pinned {
	t.Helper()
	text, err := os.ReadFile("agents.txt")
	require.NoError(t, err)
	var list []pinned
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] != "#" {
			list = append(list, pinned{fields[0], fields[1:]})
		}
	}
	return list
}

// folder is where install.sh puts agents.
func folder(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("ACPHARNESS_AGENTS"); dir != "" {
		return dir
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		require.NoError(t, err)
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "acpharness", "agents")
}

// installed reports whether an agent is there as it is pinned.
func (p pinned) installed(folder string) bool {
	stamp, err := os.ReadFile(filepath.Join(folder, p.id, "pinned"))
	return err == nil && strings.TrimSpace(string(stamp)) == strings.Join(p.packages, " ")
}

// searchPath is the PATH that an agent is found by, and finds its Node by.
func (p pinned) searchPath(folder string) string {
	bin := func(id string, parts ...string) string {
		return filepath.Join(append([]string{folder, id, "node_modules"}, parts...)...)
	}
	return strings.Join([]string{bin("node", "node", "bin"), bin(p.id, ".bin"), os.Getenv("PATH")}, string(os.PathListSeparator))
}

// agents returns the agents that the lane is for, and fails the test if one that was named is not installed.
func agents(t *testing.T) []pinned {
	t.Helper()
	needsLive(t)
	var named []string
	if *flagAgents != "" {
		named = strings.Split(*flagAgents, ",")
	}
	var chosen []pinned
	for _, p := range pins(t) {
		if at := slices.Index(named, p.id); at >= 0 {
			named = slices.Delete(named, at, at+1)
			require.True(t, p.installed(folder(t)), "%s is not installed: bash test/live/install.sh %s", p.id, p.id)
			chosen = append(chosen, p)
		} else if *flagAgents == "" && p.id != "node" {
			chosen = append(chosen, p)
		}
	}
	require.Empty(t, named, "agents.txt has no such agents")
	return chosen
}

func TestPinsAndDescriptorsAgree(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range pins(t) {
		assert.False(t, seen[p.id], "%s twice", p.id)
		seen[p.id] = true
		var names []string
		for _, pkg := range p.packages {
			assert.Regexp(t, `^(@[a-z0-9-]+/)?[a-z0-9-]+@\d+\.\d+\.\d+$`, pkg)
			names = append(names, pkg[:strings.LastIndexByte(pkg, '@')])
		}
		if p.id == "node" {
			continue
		}
		d, err := backends.Lookup(p.id)
		require.NoError(t, err)
		assert.Equal(t, d.ID, p.id)
		assert.Equal(t, d.Install.Packages, names, p.id)
		reported, _, _ := strings.Cut(d.Observed.Version, " ")
		assert.Equal(t, reported, p.version(), p.id)
	}
	assert.True(t, seen["node"])
	for _, id := range backends.RecipeBackends("loopback") {
		assert.True(t, seen[id] || id == "builtin", "%s has a recipe and is not pinned", id)
	}
}
