package terminal

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/acp"
)

// environment is the client's with that of a request on top. Errors name a variable by its place, as a name that is none
// may hold a secret.
func (h *Host) environment(added []acp.EnvVariable) ([]string, error) {
	env := slices.Clone(h.baseEnv())
	for i, v := range added {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
			return nil, fmt.Errorf("%w: number %d", ErrEnv, i+1)
		}
		env = append(env, v.Name+"="+v.Value)
	}
	if h.opts.PTY && value(env, "TERM") == "" {
		env = append(env, "TERM=xterm-256color") // a service has none, and without one programs take the terminal for dumb
	}
	return env, nil
}

// value is that of a variable, of which the last entry counts.
func value(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		key, value, ok := strings.Cut(entry, "=")
		if ok && (key == name || (runtime.GOOS == "windows" && strings.EqualFold(key, name))) {
			return value
		}
	}
	return ""
}
