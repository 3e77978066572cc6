package mcpfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// Options say whose configuration is meant. The zero value is that of the user.
type Options struct {
	// Home is the home that the agent has; empty means that of the user, where the variables count that lead elsewhere.
	Home string
	// Env is the environment of an agent with a Home, as KEY=VALUE: what there is of those variables counts.
	Env []string
	// Agent is the name of a custom agent that has a file of its own; empty means none.
	Agent string
	// StateDir is where entries without a place in their file are kept, and locks; empty means acpharness in $XDG_STATE_HOME, or in
	// .local/state of the home.
	StateDir string
	// DryRun says what would change and changes nothing.
	DryRun bool
}

// Config is the MCP configuration of an agent: its files, and which of them count. Its methods may be called from several goroutines.
type Config struct {
	files  []*File
	state  string
	dryRun bool
}

// ErrNoFiles says that nothing is known of where an agent has its servers.
var ErrNoFiles = errors.New("nobody has said where this agent has its MCP servers")

// ErrNoAgent says that a custom agent has no file.
var ErrNoAgent = errors.New("there is no custom agent of that name")

// Open finds the files of an agent whose descriptor has these layouts. None of them need exist. Nothing is read yet.
func Open(layouts []backends.MCPFile, opts *Options) (*Config, error) {
	if opts == nil {
		opts = &Options{}
	}
	c := &Config{dryRun: opts.DryRun}
	if len(layouts) == 0 {
		return nil, fmt.Errorf("cannot find the MCP servers: %w", ErrNoFiles)
	}
	own := opts.Home == ""
	home, err := opts.Home, error(nil)
	if own {
		home, err = os.UserHomeDir()
	} else {
		home, err = filepath.Abs(home)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot find the MCP servers: %w", err)
	}
	if opts.Agent != "" && !isName(opts.Agent) {
		return nil, fmt.Errorf("cannot find the custom agent %q: it is no name of a file", opts.Agent)
	}
	c.state = stateDir(home, own, opts.StateDir)
	custom := false
	for i := range layouts {
		l := &layouts[i]
		dir := strings.Replace(l.Dir, "{home}", home, 1)
		if other := opts.variable(l.DirEnv); filepath.IsAbs(other) {
			dir = other
		}
		for _, path := range l.Paths {
			if strings.Contains(path, "{agent}") {
				custom = true
				if opts.Agent == "" {
					continue
				}
				path = strings.ReplaceAll(path, "{agent}", opts.Agent)
			}
			c.files = append(c.files, NewFile(filepath.Join(dir, filepath.FromSlash(path)), l))
		}
	}
	if opts.Agent != "" && !custom {
		return nil, fmt.Errorf("cannot find the custom agent %q: %w", opts.Agent, &UnsupportedError{"custom agents"})
	}
	return c, nil
}

// variable is what a variable of the agent's environment says.
func (o *Options) variable(name string) string {
	if o.Home == "" && name != "" {
		return os.Getenv(name)
	}
	value := ""
	for _, pair := range o.Env {
		if key, v, _ := strings.Cut(pair, "="); key == name {
			value = v
		}
	}
	return value
}

// isName reports whether a name is safe as a part of a path.
func isName(s string) bool {
	return s != "." && s != ".." && !strings.ContainsAny(s, "/\\:\x00") && strings.TrimSpace(s) == s
}

func stateDir(home string, own bool, given string) string {
	if given != "" {
		return given
	}
	if state := os.Getenv("XDG_STATE_HOME"); own && filepath.IsAbs(state) {
		return filepath.Join(state, "acpharness")
	}
	return filepath.Join(home, ".local", "state", "acpharness")
}

// Files are the files that the agent may have, whether they are there or not, in the order of the layouts and of their Paths.
func (c *Config) Files() []*File { return slices.Clone(c.files) }

// List returns all servers, those that are disabled and those of files that do not count included. What could be read is returned
// with the error about what could not.
func (c *Config) List() ([]Row, error) {
	view, err := c.view()
	err = errors.Join(err, view.fault(true))
	rows := []Row{}
	for _, s := range view.states {
		for _, row := range s.Rows() {
			row.Counts = view.counts(s)
			rows = append(rows, row)
		}
		for i := range view.kept {
			k := &view.kept[i]
			if !view.keptFrom(k, s) {
				continue
			}
			row := k.row(s, view.counts(s))
			// What is in the file as well was left over by an edit that was interrupted, and says nothing new.
			if !slices.ContainsFunc(rows, func(r Row) bool {
				return r.Name == row.Name && r.File == row.File && r.Fingerprint == row.Fingerprint
			}) {
				rows = append(rows, row)
			}
		}
	}
	return rows, err
}

func (k *kept) row(s *State, counts bool) Row {
	row := Row{Name: k.Name, Source: s.file.layout.Source, File: s.file.path, Counts: counts, Disabled: true, Kept: true}
	if doc, err := parseJSON(string(k.Entry), false); err == nil {
		row.fill(doc.root(), &s.file.layout)
		row.Fingerprint = fingerprint(doc.root())
	}
	return row
}

// primary is the file that new servers go to: the first that is there of those with the first layout, or the first of all.
func (v *view) primary() *State {
	form := v.states[0].file.layout.Source
	for _, s := range v.states {
		if s.file.layout.Source == form && !s.missing {
			return s
		}
	}
	return v.states[0]
}
