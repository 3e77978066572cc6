package acp

import (
	"errors"
	"fmt"
	"path/filepath"
)

// MCPServer is an MCP server that an agent is to connect to for one session. It mirrors McpServer of the protocol. The
// variants are [*MCPServerStdio], [*MCPServerHTTP] and [*MCPServerSSE].
type MCPServer interface {
	// ServerName returns the name, which is unique in a session.
	ServerName() string
	// secrets returns the values of its environment and headers whose names speak of secrets.
	secrets() []string
	// check returns what is wrong with it in itself, or for an agent with these capabilities.
	check(c MCPCapabilities) error
	appendJSON(dst []byte) []byte
}

// MCPServerStdio is a server that the agent starts itself (McpServerStdio). Every agent takes it.
type MCPServerStdio struct {
	Name    string
	Command string // an absolute path, or a name that the agent finds in its own PATH
	Args    []string
	Env     []EnvVariable
}

// MCPServerHTTP is a server over streamable HTTP (McpServerHttp). The agent must advertise mcpCapabilities.http.
type MCPServerHTTP struct {
	Name    string
	URL     string
	Headers []HTTPHeader
}

// MCPServerSSE is a server over the older transport of HTTP with server-sent events (McpServerSse). The agent must
// advertise mcpCapabilities.sse.
type MCPServerSSE struct {
	Name    string
	URL     string
	Headers []HTTPHeader
}

// EnvVariable is a variable in the environment of a server (EnvVariable). Printing it shows its name only.
type EnvVariable struct{ Name, Value string }

// String returns the name.
func (v EnvVariable) String() string { return v.Name }

// GoString returns the name.
func (v EnvVariable) GoString() string { return v.Name }

// HTTPHeader is a header that is sent to a server (HttpHeader). Printing it shows its name only.
type HTTPHeader struct{ Name, Value string }

// String returns the name.
func (h HTTPHeader) String() string { return h.Name }

// GoString returns the name.
func (h HTTPHeader) GoString() string { return h.Name }

// ServerName implements MCPServer.
func (s *MCPServerStdio) ServerName() string { return s.Name }

// ServerName implements MCPServer.
func (s *MCPServerHTTP) ServerName() string { return s.Name }

// ServerName implements MCPServer.
func (s *MCPServerSSE) ServerName() string { return s.Name }

// String tells of the server without its arguments and the values of its environment.
func (s *MCPServerStdio) String() string {
	return fmt.Sprintf("MCP server %s: %s with %d arguments, environment %v", s.Name, s.Command, len(s.Args), s.Env)
}

func (s *MCPServerStdio) secrets() []string {
	return secretValues(s.Env, func(v EnvVariable) (string, string) { return v.Name, v.Value })
}

func (s *MCPServerHTTP) secrets() []string { return secretHeaders(s.Headers) }

func (s *MCPServerSSE) secrets() []string { return secretHeaders(s.Headers) }

func secretHeaders(headers []HTTPHeader) []string {
	return secretValues(headers, func(h HTTPHeader) (string, string) { return h.Name, h.Value })
}

func secretValues[T any](list []T, split func(T) (name, value string)) []string {
	var values []string
	for _, pair := range list {
		if name, value := split(pair); isSecretName(name) {
			values = append(values, value)
		}
	}
	return values
}

// GoString is String, so that %#v shows no value either.
func (s *MCPServerStdio) GoString() string { return s.String() }

// String tells of the server without the values of its headers.
func (s *MCPServerHTTP) String() string {
	return fmt.Sprintf("MCP server %s: headers %v", s.Name, s.Headers)
}

// GoString is String, so that %#v shows no value either.
func (s *MCPServerHTTP) GoString() string { return s.String() }

// String tells of the server without the values of its headers.
func (s *MCPServerSSE) String() string {
	return fmt.Sprintf("MCP server %s: headers %v", s.Name, s.Headers)
}

// GoString is String, so that %#v shows no value either.
func (s *MCPServerSSE) GoString() string { return s.String() }

func (s *MCPServerStdio) check(MCPCapabilities) error {
	switch {
	case s.Command == "":
		return errors.New("it has no command")
	case !filepath.IsAbs(s.Command) && filepath.Base(s.Command) != s.Command:
		return errors.New("its command is a relative path, which agents read differently")
	}
	for _, v := range s.Env {
		if v.Name == "" {
			return errors.New("a variable of its environment has no name")
		}
	}
	return nil
}

func (s *MCPServerHTTP) check(c MCPCapabilities) error {
	if !c.HTTP {
		return &UnsupportedError{Capability: "mcpCapabilities.http"}
	}
	return checkRemote(s.URL, s.Headers)
}

func (s *MCPServerSSE) check(c MCPCapabilities) error {
	if !c.SSE {
		return &UnsupportedError{Capability: "mcpCapabilities.sse"}
	}
	return checkRemote(s.URL, s.Headers)
}

func checkRemote(url string, headers []HTTPHeader) error {
	if url == "" {
		return errors.New("it has no URL")
	}
	for _, h := range headers {
		if h.Name == "" {
			return errors.New("a header has no name")
		}
	}
	return nil
}

// checkMCPServers refuses locally what agents drop without a word or let overwrite each other: a transport that they do not
// have (can1357/oh-my-pi#7722), two servers of one name (xenodium/agent-shell#603). The error names no URL and no header.
func checkMCPServers(servers []MCPServer, c MCPCapabilities) error {
	names := map[string]bool{}
	for i, s := range servers {
		if s == nil {
			return fmt.Errorf("MCP server %d is nil", i)
		}
		name := s.ServerName()
		switch {
		case name == "":
			return fmt.Errorf("MCP server %d has no name", i)
		case names[name]:
			return fmt.Errorf("two MCP servers have the name %q", name)
		}
		names[name] = true
		if err := s.check(c); err != nil {
			return fmt.Errorf("MCP server %q: %w", name, err)
		}
	}
	return nil
}

func (s *MCPServerStdio) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"name":`...)
	dst = appendString(dst, s.Name)
	dst = appendRequired(dst, "command", s.Command)
	dst = append(dst, `,"args":`...)
	dst = appendStrings(dst, s.Args)
	dst = append(dst, `,"env":`...)
	dst = appendPairs(dst, s.Env, func(v EnvVariable) (string, string) { return v.Name, v.Value })
	return append(dst, '}')
}

func (s *MCPServerHTTP) appendJSON(dst []byte) []byte {
	return appendRemote(dst, "http", s.Name, s.URL, s.Headers)
}

func (s *MCPServerSSE) appendJSON(dst []byte) []byte {
	return appendRemote(dst, "sse", s.Name, s.URL, s.Headers)
}

func appendRemote(dst []byte, kind, name, url string, headers []HTTPHeader) []byte {
	dst = append(dst, `{"type":`...)
	dst = appendString(dst, kind)
	dst = appendRequired(dst, "name", name)
	dst = appendRequired(dst, "url", url)
	dst = append(dst, `,"headers":`...)
	dst = appendPairs(dst, headers, func(h HTTPHeader) (string, string) { return h.Name, h.Value })
	return append(dst, '}')
}

// appendStrings and appendPairs always write a list: agents refuse null and absence (DeepSeek-Reasonix#5553).
func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, text := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, text)
	}
	return append(dst, ']')
}

func appendPairs[T any](dst []byte, list []T, split func(T) (name, value string)) []byte {
	dst = append(dst, '[')
	for i, pair := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		name, value := split(pair)
		dst = append(dst, `{"name":`...)
		dst = appendString(dst, name)
		dst = append(appendRequired(dst, "value", value), '}')
	}
	return append(dst, ']')
}
