package fakeagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
)

// agentFile is the content of an agent file. It is never changed once it is made.
type agentFile struct {
	servers map[string]*serverEntry
	tools   references // which tools are offered; nil is all
	allowed references // which need no permission
}

// serverEntry is one server of the file, or one that a session was given.
type serverEntry struct {
	command       string
	args          []string
	env           map[string]string
	disabled      bool
	disabledTools []string
	autoApprove   []string
}

// fileContent is what a file holds at a moment; it is comparable.
type fileContent struct {
	exists bool
	text   string
}

// readContent fails if it cannot be told what the file holds, which is no reason to change anything.
func readContent(path string) (fileContent, error) {
	data, err := os.ReadFile(path)
	switch {
	case err == nil:
		return fileContent{exists: true, text: string(data)}, nil
	case errors.Is(err, fs.ErrNotExist):
		return fileContent{}, nil
	default:
		return fileContent{}, err
	}
}

// parse reads an agent file. One that is missing has no servers.
func (c fileContent) parse() (*agentFile, error) {
	file := &agentFile{servers: map[string]*serverEntry{}}
	if !c.exists {
		return file, nil
	}
	top, err := rawMembers(json.RawMessage(c.text))
	if err != nil {
		return nil, err
	}
	var servers map[string]json.RawMessage
	err = errors.Join(
		readMember(top, "mcpServers", &servers),
		readMember(top, "tools", &file.tools),
		readMember(top, "allowedTools", &file.allowed),
	)
	if err != nil {
		return nil, err
	}
	for name, raw := range servers {
		if file.servers[name], err = parseEntry(raw); err != nil {
			return nil, fmt.Errorf("server %q: %w", name, err)
		}
	}
	return file, nil
}

func parseEntry(raw json.RawMessage) (*serverEntry, error) {
	m, err := rawMembers(raw)
	if err != nil {
		return nil, err
	}
	// Anything but true, such as "true" or 1, disables nothing.
	entry := &serverEntry{disabled: string(m["disabled"]) == "true"}
	return entry, errors.Join(
		readMember(m, "command", &entry.command),
		readMember(m, "args", &entry.args),
		readMember(m, "env", &entry.env),
		readMember(m, "disabledTools", &entry.disabledTools),
		readMember(m, "autoApprove", &entry.autoApprove),
	)
}

// rawMembers reads an object by the exact names of its members, which decoding into a struct would not.
func rawMembers(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("null where an object belongs")
	}
	return m, nil
}

func readMember(m map[string]json.RawMessage, name string, into any) error {
	raw, ok := m[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// enabled returns the server with this name, nil if there is none that is to run.
func (f *agentFile) enabled(name string) *serverEntry {
	if f == nil {
		return nil
	}
	if e := f.servers[name]; e != nil && !e.disabled {
		return e
	}
	return nil
}

// startsAny reports whether there is a server to start.
func (f *agentFile) startsAny() bool {
	for _, e := range f.servers {
		if !e.disabled {
			return true
		}
	}
	return false
}

// launches reports whether both are started in the same way; what else they say asks for no new process.
func (e *serverEntry) launches(other *serverEntry) bool {
	return other != nil && e.command == other.command && slices.Equal(e.args, other.args) && maps.Equal(e.env, other.env)
}

// references are names such as "@server", "@server/tool" and "*".
type references []string

func (r references) server(name string) bool { return slices.Contains(r, "@"+name) }

func (r references) tool(server, tool string) bool { return slices.Contains(r, "@"+server+"/"+tool) }

func (r references) everything() bool { return slices.Contains(r, "*") }
