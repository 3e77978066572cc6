package permission

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// pathPattern is a pattern for paths: a folder, and a glob for what is in it.
type pathPattern struct {
	written, physical string   // the folder, by the letter and with links resolved when the pattern was read
	glob              []string // names; empty for the folder itself
	escapes           bool     // a link leads out of the root, where the pattern was to stay
}

func checkPathPattern(pattern string) error {
	if err := checkWord(pattern); err != nil {
		return err
	}
	if strings.Contains(pattern, `\`) {
		return errors.New(`it has a \: names are separated by / on every system`)
	}
	rest, home := strings.CutPrefix(pattern, "~/")
	if !home && strings.HasPrefix(pattern, "~") {
		return errors.New("~ is for the own home directory only, as ~/")
	}
	rest = strings.TrimPrefix(rest, "/")
	for name := range strings.SplitSeq(rest, "/") {
		switch {
		case name == "" && rest != "":
			return errors.New("it has an empty name")
		case name == "." || name == "..":
			return fmt.Errorf("it has a name %q", name)
		case name != "**" && strings.Contains(name, "**"):
			return errors.New("** stands for folders and must be a name by itself")
		}
	}
	return nil
}

// compilePath makes a pattern that was checked ready for use.
func compilePath(pattern, root string) (pathPattern, error) {
	var p pathPattern
	base, within := root, true
	rest, home := strings.CutPrefix(pattern, "~/")
	switch abs := filepath.FromSlash(pattern); {
	case home:
		var err error
		if base, err = os.UserHomeDir(); err != nil {
			return p, err
		}
		within = false
	case filepath.IsAbs(abs):
		base = filepath.VolumeName(abs) + string(filepath.Separator)
		rest = filepath.ToSlash(strings.TrimPrefix(abs, base))
		within = false
	}
	names := strings.Split(rest, "/")
	if rest == "" {
		names = nil
	}
	literal := slices.IndexFunc(names, isWild)
	if literal < 0 {
		literal = len(names)
	}
	p.glob = names[literal:]
	p.written = filepath.Join(append([]string{base}, names[:literal]...)...)
	var err error
	if p.physical, err = resolve(p.written); err != nil {
		return p, err
	}
	if within {
		top, err := resolve(root)
		if err != nil {
			return p, err
		}
		_, inside := below(top, p.physical)
		p.escapes = !inside
	}
	return p, nil
}

// allows reports whether a path certainly is what the pattern means. Only where it leads counts.
func (p *pathPattern) allows(l location) bool {
	return !p.escapes && p.holds(p.physical, l.physical, false)
}

// touches reports whether a path may be what the pattern means.
func (p *pathPattern) touches(l location) bool {
	fold := runtime.GOOS == "windows" || runtime.GOOS == "darwin" // .ENV is .env there
	for _, base := range []string{p.written, p.physical} {
		if p.holds(base, l.written, fold) || p.holds(base, l.physical, fold) {
			return true
		}
	}
	return false
}

func (p *pathPattern) holds(base, path string, fold bool) bool {
	glob := p.glob
	if fold {
		base, path = strings.ToLower(base), strings.ToLower(path)
		glob = strings.Split(strings.ToLower(strings.Join(glob, "/")), "/")
		if len(p.glob) == 0 {
			glob = nil
		}
	}
	names, ok := below(base, path)
	return ok && matchNames(glob, names)
}

// below returns the names that lead from a folder down to a path, both absolute and clean.
func below(base, path string) (names []string, ok bool) {
	rel, err := filepath.Rel(base, path)
	switch {
	case err != nil:
		return nil, false
	case rel == ".":
		return nil, true
	}
	names = strings.Split(filepath.ToSlash(rel), "/")
	return names, names[0] != ".."
}

// matchNames matches names against a glob in which ** is any number of names. Its time grows with the product of both.
func matchNames(glob, names []string) bool {
	reached := make([]bool, len(names)+1) // how many names the glob so far can stand for
	reached[0] = true
	for _, g := range glob {
		next := make([]bool, len(names)+1)
		for i := range reached {
			switch {
			case g == "**":
				next[i] = reached[i] || i > 0 && next[i-1]
			case i > 0:
				next[i] = reached[i-1] && wild(g, names[i-1])
			}
		}
		reached = next
	}
	return reached[len(names)]
}
