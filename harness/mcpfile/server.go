package mcpfile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/acpharness/acpharness/backends"
)

// Transport is how an agent reaches a server.
type Transport string

// The transports.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http" // streamable HTTP
	SSE   Transport = "sse"  // server-sent events, the older one
)

// Server says what a server is, in no agent's terms.
type Server struct {
	// Command and Args start a server over stdio, with Env added to its environment, in Cwd if that is not empty.
	Command string
	Args    []string
	Env     map[string]string
	Cwd     string
	// URL is the address of a server over HTTP, or over SSE if Transport says so, and Headers are sent with every request.
	URL       string
	Headers   map[string]string
	Transport Transport // empty: Stdio with a Command, HTTP with a URL
}

// String names what cannot be secret.
func (s Server) String() string {
	return fmt.Sprintf("%s %s env %v headers %v", s.transport(), cmp.Or(s.Command, "URL"), slices.Sorted(maps.Keys(s.Env)), slices.Sorted(maps.Keys(s.Headers)))
}

// MarshalJSON has the names of environment and headers only.
func (s Server) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Transport Transport `json:"transport"`
		Command   string    `json:"command,omitempty"`
		Args      []string  `json:"args,omitempty"`
		Env       []string  `json:"env,omitempty"`
		Cwd       string    `json:"cwd,omitempty"`
		URL       string    `json:"url,omitempty"`
		Headers   []string  `json:"headers,omitempty"`
	}{
		s.transport(), s.Command, s.Args, slices.Sorted(maps.Keys(s.Env)), s.Cwd, maskURL(s.URL), slices.Sorted(maps.Keys(s.Headers)),
	})
}

// GoString is String, so that %#v shows no value either.
func (s Server) GoString() string { return s.String() }

func (s Server) transport() Transport {
	switch {
	case s.Transport != "":
		return s.Transport
	case s.URL != "":
		return HTTP
	default:
		return Stdio
	}
}

// entry writes the server in an agent's terms.
func (s Server) entry(form *backends.MCPEntry) (value, error) {
	transport := s.transport()
	switch {
	case transport == Stdio && (s.Command == "" || s.URL != "" || len(s.Headers) > 0):
		return value{}, errors.New("a server over stdio needs a command, and has neither URL nor headers")
	case transport != Stdio && (s.URL == "" || s.Command != "" || len(s.Args) > 0 || len(s.Env) > 0 || s.Cwd != ""):
		return value{}, fmt.Errorf("a server over %s needs a URL, and has no command", transport)
	}
	v := value{kind: object}
	var missing []string
	set := func(key, what string, x value, wanted bool) {
		switch {
		case !wanted:
		case key == "":
			missing = append(missing, what)
		default:
			v = v.with([]string{key}, x)
		}
	}
	types := map[Transport]string{Stdio: form.Stdio, HTTP: form.HTTP, SSE: form.SSE}
	if form.TypeKey != "" {
		if types[transport] == "" {
			return value{}, &UnsupportedError{"a server over " + string(transport)}
		}
		set(form.TypeKey, "", textValue(types[transport]), true)
	}
	if transport == Stdio {
		if form.ArgsKey == "" {
			set(form.CommandKey, "a command", textList(append([]string{s.Command}, s.Args...)), true)
		} else {
			set(form.CommandKey, "a command", textValue(s.Command), true)
			set(form.ArgsKey, "arguments", textList(s.Args), true)
		}
	}
	url := form.URLKey
	if transport == SSE {
		url = form.SSEURLKey
	}
	set(url, "a server over "+string(transport), textValue(s.URL), transport != Stdio)
	set(form.EnvKey, "an environment", textMap(s.Env), len(s.Env) > 0)
	set(form.CwdKey, "a working directory", textValue(s.Cwd), s.Cwd != "")
	set(form.HeadersKey, "headers", textMap(s.Headers), len(s.Headers) > 0)
	if len(missing) > 0 {
		return value{}, &UnsupportedError{strings.Join(missing, " or ")}
	}
	if form.Always != "" {
		always, err := parseJSON(form.Always, false)
		if err != nil {
			return value{}, err
		}
		for _, m := range always.root().members {
			v = v.with([]string{m.name}, m.value)
		}
	}
	return v, nil
}

func textMap(m map[string]string) value {
	v := value{kind: object}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		v.members = append(v.members, member{name, textValue(m[name])})
	}
	return v
}

// transportOf reads the transport of an entry; it is empty if the entry does not say it.
func transportOf(entry value, form *backends.MCPEntry) Transport {
	has := func(key string) bool { _, ok := entry.get(key); return ok && key != "" }
	if name, ok := entry.get(form.TypeKey); ok && form.TypeKey != "" {
		switch {
		case name.text == form.Stdio && form.Stdio != "":
			return Stdio
		case name.text == form.HTTP && form.HTTP != "":
			return HTTP
		case name.text == form.SSE && form.SSE != "":
			return SSE
		}
	}
	switch {
	case has(form.CommandKey):
		return Stdio
	case has(form.URLKey):
		return HTTP
	case has(form.SSEURLKey):
		return SSE
	default:
		return ""
	}
}
