package acp

import "fmt"

// services are the handlers that serve a session: its own, else the client's.
type services struct {
	permission    PermissionHandler
	readTextFile  FileReader
	writeTextFile FileWriter
	terminal      TerminalHandler
	form          FormHandler
	url           URLHandler
}

func (o *ClientOptions) services() services {
	return services{o.Permission, o.ReadTextFile, o.WriteTextFile, o.Terminal, o.Form, o.URL}
}

// with returns the services with those of a session in place of the client's.
func (s services) with(o *SessionOptions) services {
	override(&s.permission, o.Permission)
	override(&s.readTextFile, o.ReadTextFile)
	override(&s.writeTextFile, o.WriteTextFile)
	override(&s.terminal, o.Terminal)
	override(&s.form, o.Form)
	override(&s.url, o.URL)
	return s
}

func override[T comparable](handler *T, own T) {
	if own != *new(T) {
		*handler = own
	}
}

// covers returns ErrNotAdvertised if a session brings a handler for what the agent was not told of.
func (o *clientCapabilities) covers(s *SessionOptions) error {
	for _, own := range []struct {
		name      string
		brought   bool
		available bool
	}{
		{"fs.readTextFile", s.ReadTextFile != nil, o.FS.ReadTextFile},
		{"fs.writeTextFile", s.WriteTextFile != nil, o.FS.WriteTextFile},
		{"terminal", s.Terminal != nil, o.Terminal},
		{"elicitation.form", s.Form != nil, o.Elicitation != nil && o.Elicitation.Form != nil},
		{"elicitation.url", s.URL != nil, o.Elicitation != nil && o.Elicitation.URL != nil},
	} {
		if own.brought && !own.available {
			return fmt.Errorf("%w: clientCapabilities.%s", ErrNotAdvertised, own.name)
		}
	}
	return nil
}
