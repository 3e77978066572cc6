package backends

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// bareName is what is shown of a name: who writes NAME=VALUE where a name belongs may have written a secret.
func bareName(name string) string {
	if before, _, ok := strings.Cut(name, "="); ok {
		return before + "=…"
	}
	return name
}

// readEnv reads what is set and what is taken away. No fault has a value in it.
func (r *userReader) readEnv(d *Descriptor, members map[string]node) {
	scrub, hasScrub := members["scrub"]
	if hasScrub {
		d.Env.Scrub = r.list("scrub", scrub)
		for i, elem := range scrub.elems {
			switch {
			case elem.kind != jsontext.KindString:
			case !isVariable(elem.text):
				r.fault(at("scrub", i), "%q is not the name of a variable", clip(bareName(elem.text)))
			case i > slices.IndexFunc(scrub.elems, func(e node) bool { return e.kind == elem.kind && e.text == elem.text }):
				r.fault(at("scrub", i), "%q is there twice", clip(elem.text))
			}
		}
	}
	n, ok := members["env"]
	switch {
	case !ok:
		return
	case n.kind != jsontext.KindBeginObject:
		r.fault("env", "want an object of strings, have %v", n)
		return
	}
	r.members("env", n, nil)
	d.Env.Set = map[string]string{}
	for _, m := range n.members {
		where := "env." + shown(m.name)
		if _, twice := d.Env.Set[m.name]; twice {
			continue
		}
		d.Env.Set[m.name] = r.text(where, m.value)
		if !isVariable(m.name) {
			r.fault(where, "%q is not the name of a variable", clip(bareName(m.name)))
		}
		if slices.Contains(d.Env.Scrub, m.name) {
			r.fault(where, "it is in scrub as well")
		}
	}
}

func (r *userReader) readNames(d *Descriptor, members map[string]node) {
	n, ok := members["agentNames"]
	if !ok {
		return
	}
	d.AgentNames = r.list("agentNames", n)
	for i, elem := range n.elems {
		switch {
		case elem.kind != jsontext.KindString:
		case elem.text == "" || elem.text != strings.TrimSpace(elem.text):
			r.fault(at("agentNames", i), "it is empty, or there is space around it")
		case i > slices.IndexFunc(n.elems, func(e node) bool { return e.kind == elem.kind && e.text == elem.text }):
			r.fault(at("agentNames", i), "%q is there twice", clip(elem.text))
		}
	}
}

func (r *userReader) readMCPFile(u *UserBackend, members map[string]node) {
	n, ok := members["mcpFile"]
	if !ok {
		return
	}
	where := "mcpFile"
	switch n.kind {
	case jsontext.KindString:
	case jsontext.KindBeginObject:
		inner := r.members(where, n, []string{"path", "format"})
		if format, ok := inner["format"]; ok {
			u.MCPFormat = r.text(where+".format", format)
			if format.kind == jsontext.KindString && !isID(u.MCPFormat) {
				r.fault(where+".format", "%q is not lower-case letters, digits and dashes, a letter first", clip(u.MCPFormat))
			}
		}
		where += ".path"
		if n, ok = inner["path"]; !ok {
			r.fault(where, "it is missing")
			return
		}
	default:
		r.fault(where, "want a path, or an object with path and format, have %v", n)
		return
	}
	u.MCPPath = r.text(where, n)
	if n.kind == jsontext.KindString && strings.TrimSpace(u.MCPPath) == "" {
		r.fault(where, "it is empty")
	}
	r.placeholders(where, u.MCPPath)
}
