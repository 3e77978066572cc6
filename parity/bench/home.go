package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Home is a folder that stands in for the user's home, so that an agent neither sees nor changes what is in the real one.
type Home struct {
	Dir   string
	fresh bool
}

// NewHome returns a home in dir, which is made if it is not there; an empty dir means a fresh one that Remove deletes.
func NewHome(dir string) (*Home, error) {
	h := &Home{Dir: dir}
	var err error
	if dir == "" {
		h.fresh = true
		h.Dir, err = os.MkdirTemp("", "acpharness-home-")
	} else {
		h.Dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make an isolated home: %w", err)
	}
	for _, folder := range h.folders() {
		if err := os.MkdirAll(folder.path, 0o700); err != nil {
			return nil, fmt.Errorf("cannot make an isolated home: %w", errors.Join(err, h.Remove()))
		}
	}
	return h, nil
}

type homeFolder struct{ name, path string }

func (h *Home) folders() []homeFolder {
	at := func(parts ...string) string { return filepath.Join(append([]string{h.Dir}, parts...)...) }
	folders := []homeFolder{
		{"HOME", h.Dir},
		{"USERPROFILE", h.Dir},
		{"XDG_CONFIG_HOME", at(".config")},
		{"XDG_DATA_HOME", at(".local", "share")},
		{"XDG_STATE_HOME", at(".local", "state")},
		{"XDG_CACHE_HOME", at(".cache")},
		{"XDG_RUNTIME_DIR", at(".run")},
		{"TMPDIR", at(".tmp")},
	}
	if runtime.GOOS == "windows" {
		folders = append(folders,
			homeFolder{"APPDATA", at("AppData", "Roaming")}, homeFolder{"LOCALAPPDATA", at("AppData", "Local")},
			homeFolder{"TEMP", at(".tmp")}, homeFolder{"TMP", at(".tmp")})
	}
	return folders
}

// Vars returns the variables that lead an agent to this home, as KEY=VALUE. PATH and the rest of an environment stay.
func (h *Home) Vars() []string {
	var vars []string
	for _, f := range h.folders() {
		vars = append(vars, f.name+"="+f.path)
	}
	return vars
}

// Remove deletes a home that NewHome made up; one that the caller named stays.
func (h *Home) Remove() error {
	if !h.fresh {
		return nil
	}
	if err := os.RemoveAll(h.Dir); err != nil {
		return fmt.Errorf("cannot delete the isolated home: %w", err)
	}
	return nil
}
