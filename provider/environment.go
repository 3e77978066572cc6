package provider

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// EnvMode says how much of an environment an agent gets to see.
type EnvMode int

const (
	// EnvInherit passes everything but the markers that the backend must not see, such as CLAUDECODE: an agent that
	// finds its own marker takes itself for a child of another session and refuses or hangs
	// (agentclientprotocol/claude-agent-acp#413).
	EnvInherit EnvMode = iota
	// EnvInheritAll passes everything.
	EnvInheritAll
	// EnvClean passes nothing but what programs need to find their way, see [CleanNames]. Keys of model providers are
	// not among that, nor are the settings of proxies: use ConnectOptions.SetEnv for them.
	EnvClean
)

// String returns "inherit", "inherit-all" or "clean".
func (m EnvMode) String() string {
	switch m {
	case EnvInherit:
		return "inherit"
	case EnvInheritAll:
		return "inherit-all"
	case EnvClean:
		return "clean"
	default:
		return fmt.Sprintf("EnvMode(%d)", int(m))
	}
}

// CleanNames returns the names that EnvClean passes on this system, sorted. One that ends in "*" stands for every name
// with that beginning.
func CleanNames() []string { return cleanNames(runtime.GOOS) }

func cleanNames(system string) []string {
	if system == "windows" {
		return []string{
			"ALLUSERSPROFILE", "APPDATA", "COMPUTERNAME", "COMSPEC", "CommonProgramFiles*", "HOME", "HOMEDRIVE", "HOMEPATH",
			"LANG", "LC_*", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
			"ProgramData", "ProgramFiles*", "ProgramW6432", "SystemDrive", "SystemRoot", "TEMP", "TERM", "TMP", "TZ",
			"USERDOMAIN", "USERNAME", "USERPROFILE", "WINDIR", "XDG_*",
		}
	}
	return []string{"HOME", "LANG", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER", "XDG_*"}
}

// launchEnv is an environment that is being made for one agent.
type launchEnv struct {
	mode EnvMode
	base []string // nil for the caller's own
	set  []string // wins over everything
	want backends.Environment
}

func (c *BackendConnector) launchEnv(opts *ConnectOptions) launchEnv {
	if opts == nil {
		opts = &ConnectOptions{}
	}
	return launchEnv{mode: opts.EnvMode, base: opts.Env, set: opts.SetEnv, want: c.descriptor.Env}
}

// Environ returns the environment that Connect would give to an agent, as KEY=VALUE. It holds secrets: EffectiveEnv is what may be
// shown. A nil opts is the zero value.
func (c *BackendConnector) Environ(opts *ConnectOptions) []string { return c.launchEnv(opts).entries() }

// EffectiveEnv returns the names in the environment that Connect would give to an agent, sorted and each once. It returns
// no values, so that it may be shown. What Connect would refuse is left out. A nil opts is the zero value.
func (c *BackendConnector) EffectiveEnv(opts *ConnectOptions) []string {
	names := []string{}
	for _, entry := range c.launchEnv(opts).entries() {
		if name, _, ok := strings.Cut(entry, "="); ok && name != "" { // Windows has entries such as "=C:=C:\dir"
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// check returns an error if this environment cannot be meant. The error holds no value, nor what may be one.
func (e launchEnv) check() error {
	switch e.mode {
	case EnvInherit, EnvInheritAll, EnvClean:
	default:
		return fmt.Errorf("cannot make an environment: there is no mode %d", int(e.mode))
	}
	for i, entry := range e.set {
		if strings.Index(entry, "=") <= 0 {
			return fmt.Errorf("cannot make an environment: entry %d of SetEnv is not KEY=VALUE", i)
		}
	}
	return nil
}

// entries is the base as far as the mode lets it pass, with the settings that the agent must have, then what was set for
// it. A name that the base sets to something wins over a setting of the backend.
func (e launchEnv) entries() []string {
	base := e.base
	if base == nil {
		base = os.Environ()
	}
	env := make([]string, 0, len(base)+len(e.want.Set)+len(e.set))
	for _, entry := range base {
		if name, _, ok := strings.Cut(entry, "="); ok && e.passes(name) && !has(e.set, name) {
			env = append(env, entry)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.want.Set)) { // sorted, so that equal inputs launch equally
		if !has(env, name) && !has(e.set, name) {
			env = append(env, name+"="+e.want.Set[name])
		}
	}
	for i, entry := range e.set {
		if name, _, ok := strings.Cut(entry, "="); ok && name != "" && !has(e.set[i+1:], name) { // the last one counts
			env = append(env, entry)
		}
	}
	return env
}

// passes reports whether the mode lets a name of the base through.
func (e launchEnv) passes(name string) bool {
	scrubbed := func() bool {
		return slices.ContainsFunc(e.want.Scrub, func(scrub string) bool { return sameName(scrub, name) })
	}
	switch e.mode {
	case EnvInheritAll:
		return true
	case EnvClean:
		return slices.ContainsFunc(CleanNames(), func(pattern string) bool { return matches(pattern, name) }) && !scrubbed()
	case EnvInherit:
		return !scrubbed()
	default:
		return false
	}
}

func matches(pattern, name string) bool {
	if start, ok := strings.CutSuffix(pattern, "*"); ok {
		return len(name) >= len(start) && sameName(start, name[:len(start)])
	}
	return sameName(pattern, name)
}

// known is everything that was said, in the order in which it counts.
func (e launchEnv) known(env []string) []string {
	if e.base == nil {
		return slices.Concat(os.Environ(), env)
	}
	return slices.Concat(e.base, env)
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
