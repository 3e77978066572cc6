package mcpfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Filter says which of a server's tools an agent offers. The zero value is all of them.
type Filter struct {
	// Include are the only ones that are offered; nil means all, and an empty list none.
	Include []string
	// Exclude are not offered.
	Exclude []string
}

// filter writes the filter of a server in place of the one that it has.
func (e *editor) filter(name string, f Filter) error {
	keys, err := e.keys(name)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return &NotFoundError{Name: name}
	}
	form := e.layout.Filter
	switch {
	case f.Include != nil && form.Include == "":
		return &UnsupportedError{"a list of the only tools of a server"}
	case len(f.Exclude) > 0 && form.Exclude == "" && form.Switches == "":
		return &UnsupportedError{"a list of tools that a server is not to offer"}
	}
	for _, key := range keys {
		entry, _ := e.model.get(e.server(key)...)
		if entry.kind != object {
			return fmt.Errorf("%w: %s", ErrMalformed, quote(key))
		}
		include := f.Include
		if include == nil && form.All != "" {
			include = []string{form.All}
		}
		if err := e.tools(key, form.Include, include, include == nil); err != nil {
			return err
		}
		if err := e.tools(key, form.Exclude, f.Exclude, len(f.Exclude) == 0); err != nil {
			return err
		}
		if form.Switches == "" {
			continue
		}
		if err := e.switches(key, f.Exclude); err != nil {
			return err
		}
	}
	return nil
}

// tools writes a list of tools into an entry, or takes it out.
func (e *editor) tools(key, member string, list []string, none bool) error {
	if member == "" {
		return nil
	}
	path := e.server(key, member)
	had, ok := e.model.get(path...)
	switch {
	case none && !ok:
		return nil
	case none:
		return e.drop(path...)
	case ok && had.equal(textList(list)):
		return nil
	}
	return e.put(path, textList(list), last)
}

// switches turns off the tools of a server that are named, and takes away its other switches that are off.
func (e *editor) switches(key string, off []string) error {
	form := e.layout.Filter
	var names []string
	for _, tool := range off {
		names = append(names, e.switchOf(key, tool))
	}
	all, _ := e.model.get(form.Switches)
	for _, m := range all.members {
		if server, ok := e.switched(m.name); ok && server == key && m.value.is(false) && !slices.Contains(names, m.name) {
			if err := e.drop(form.Switches, m.name); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		path := []string{form.Switches, name}
		if v, ok := e.model.get(path...); ok && v.is(false) {
			continue
		}
		if err := e.put(path, boolValue(false), last); err != nil {
			return err
		}
	}
	return nil
}

// notPlain leaves the star: no tool has one in its name, and in a switch it stands for several.
var notPlain = regexp.MustCompile(`[^A-Za-z0-9_*-]`)

// switchOf is the name of the switch of a tool.
func (e *editor) switchOf(key, tool string) string {
	if e.layout.Filter.Plain {
		key = notPlain.ReplaceAllString(strings.ReplaceAll(key, "*", "_"), "_")
		tool = notPlain.ReplaceAllString(tool, "_")
	}
	return strings.NewReplacer("{server}", key, "{tool}", tool).Replace(e.layout.Filter.Name)
}

// switched finds the server that a switch is of: the one with the longest name, since names can begin alike.
func (e *editor) switched(name string) (server string, ok bool) {
	return e.owner(name, e.names())
}

// owner is switched among the servers of these names.
func (e *editor) owner(name string, names []string) (server string, ok bool) {
	for _, key := range names {
		if strings.HasPrefix(name, e.switchOf(key, "")) && len(key) >= len(server) {
			server, ok = key, true
		}
	}
	return server, ok
}
