package provider

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// environment is base, nil for the caller's own, without the names that the agent must not see and with the settings
// that it must have. A name that base sets to something wins over a setting.
func environment(base []string, want backends.Environment) []string {
	if base == nil {
		base = os.Environ()
	}
	env := make([]string, 0, len(base)+len(want.Set))
	for _, entry := range base {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || slices.ContainsFunc(want.Scrub, func(scrub string) bool { return sameName(scrub, name) }) {
			continue
		}
		env = append(env, entry)
	}
	for _, name := range slices.Sorted(maps.Keys(want.Set)) { // sorted, so that equal inputs launch equally
		if !has(env, name) {
			env = append(env, name+"="+want.Set[name])
		}
	}
	return env
}

func has(env []string, name string) bool {
	return slices.ContainsFunc(env, func(entry string) bool {
		n, _, ok := strings.Cut(entry, "=")
		return ok && sameName(n, name)
	})
}

// value returns the last value of a name, as a process would see it.
func value(env []string, name string) string {
	var found string
	for _, entry := range env {
		if n, v, ok := strings.Cut(entry, "="); ok && sameName(n, name) {
			found = v
		}
	}
	return found
}

func sameName(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// LocalPlaces returns the directories where agents are usually installed for one user, in the order of the search after
// PATH. Never among them are the current directory and its node_modules: a checkout must not choose what is run.
func LocalPlaces(home string, env []string) []string {
	var places []string
	if home != "" {
		places = append(places, filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin"))
	}
	places = append(places, npmPrefix(home, env)...)
	if home != "" {
		places = append(places, filepath.Join(home, ".bun", "bin"), filepath.Join(home, ".volta", "bin"))
	}
	return append(places, "/usr/local/bin", "/opt/homebrew/bin")
}

// npmPrefix returns where npm puts global executables, as far as that can be known without running npm: its environment
// variable, then the user's .npmrc.
func npmPrefix(home string, env []string) []string {
	prefix := value(env, "npm_config_prefix")
	if prefix == "" {
		prefix = value(env, "NPM_CONFIG_PREFIX")
	}
	if prefix == "" && home != "" {
		prefix = npmrcPrefix(filepath.Join(home, ".npmrc"), home)
	}
	if !filepath.IsAbs(prefix) {
		return nil
	}
	if runtime.GOOS == "windows" {
		return []string{prefix}
	}
	return []string{filepath.Join(prefix, "bin")}
}

func npmrcPrefix(file, home string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(name) != "prefix" {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		if rest, ok := strings.CutPrefix(value, "~/"); ok {
			value = filepath.Join(home, rest)
		}
		return strings.ReplaceAll(value, "${HOME}", home)
	}
	return ""
}
