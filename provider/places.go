package provider

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

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
