package backends

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// validateMCPFiles checks that an editor could work with what is said of the files.
func (d Descriptor) validateMCPFiles(fault func(string, ...any)) {
	includes, seen := false, []string{}
	for _, f := range d.MCPFiles {
		where := d.ID + "'s MCP file " + f.Source
		includes = includes || f.IncludeKey != ""
		if f.Source == "" || len(f.Paths) == 0 || f.ServersKey == "" {
			fault("%s has no source, no path or no key of its servers", where)
		}
		if !slices.Contains([]MCPFormat{MCPJSON, MCPJSONC, MCPTOML}, f.Format) {
			fault("%s has the unknown format %q", where, f.Format)
		}
		if f.Dir != "{home}" && !strings.HasPrefix(f.Dir, "{home}/") || path.Clean(f.Dir) != f.Dir {
			fault("%s is in %q, which is no folder of the home", where, f.Dir)
		}
		if f.DirEnv != "" && !isVariable(f.DirEnv) {
			fault("%s has the variable %q, which is no name", where, f.DirEnv)
		}
		for _, p := range f.Paths {
			full := path.Join(f.Dir, p)
			if p == "" || path.IsAbs(p) || path.Clean(p) != p || strings.HasPrefix(p, "..") || strings.ContainsAny(strings.ReplaceAll(p, "{agent}", ""), "{}\\") {
				fault("%s has the path %q, which does not stay in its folder", where, p)
			}
			if slices.Contains(seen, full) {
				fault("%s is there twice", full)
			}
			seen = append(seen, full)
		}
		f.Marker.validate(where, fault)
		f.Entry.validate(where, fault)
		if (f.Filter.Switches == "") != (f.Filter.Name == "") || f.Filter.Name != "" && (!strings.Contains(f.Filter.Name, "{server}") || !strings.HasSuffix(f.Filter.Name, "{tool}")) {
			fault("%s has switches of tools without a name for them", where)
		}
	}
	for _, f := range d.MCPFiles {
		if f.IfIncluded && !includes {
			fault("%s's MCP file %s counts if it is included, and nothing includes it", d.ID, f.Source)
		}
	}
}

func (m MCPMarker) validate(where string, fault func(string, ...any)) {
	switch {
	case m.Key != "" && len(m.List) > 0:
		fault("%s has two markers", where)
	case m.None() != (strings.TrimSpace(m.Proof) == ""):
		fault("%s has a marker without a proof, or a proof without a marker", where)
	case slices.Contains(m.List, ""):
		fault("%s has a marker in a list without a name", where)
	}
}

func (e MCPEntry) validate(where string, fault func(string, ...any)) {
	if e.CommandKey == "" && e.URLKey == "" {
		fault("%s has entries with neither a command nor an address", where)
	}
	if (e.TypeKey == "") != (e.Stdio == "" && e.HTTP == "" && e.SSE == "") {
		fault("%s has names of transports without a member for them, or the member without names", where)
	}
	var always map[string]any
	if e.Always != "" && (json.Unmarshal([]byte(e.Always), &always) != nil || len(always) == 0) {
		fault("%s always adds what is no JSON object", where)
	}
}
