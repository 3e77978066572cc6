package permission

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/acpharness/acpharness/acp"
)

// Subject is what a tool call says of itself, as far as it matters for who may run it.
type Subject struct {
	Kind acp.ToolKind // "other" if the agent sends none, as in the protocol
	Tool string       // the tool's name, empty if the agent sends none
	// Commands are its command lines, each once. What is sent as a list of arguments is quoted as a shell wants it, and a
	// list that starts a shell with a line is that line.
	Commands []string
	// Paths are the files and folders that it names, absolute and with symbolic links resolved, sorted, each once. A
	// folder that a command runs in is one of them.
	Paths []string
	// Dirs are the folders among them that a command runs in, as far as the call names one.
	Dirs []string
	// Address says that a web address is in its input or, for kinds that are not about files and commands, in its text.
	Address bool
	// Unclear says that a path or command may be another than it looks like: the input cannot be read, or sets variables that
	// may make a command do something else.
	Unclear bool

	paths []location
}

// Inspect reads a tool call. Relative paths are under root and under the folder that the call runs in, if it names one:
// both count.
func Inspect(call *acp.ToolCall, root string) Subject {
	s := Subject{Kind: subjectKind(call), Tool: subjectTool(call)}
	in := &input{}
	if len(call.RawInput) > 0 {
		var value any
		// A member that is there twice is read by the agent in one way and by us perhaps in the other.
		if err := json.Unmarshal(call.RawInput, &value); err != nil {
			s.Unclear = true
		}
		in.read(value, 0)
	}
	for _, l := range call.Locations {
		in.paths = append(in.paths, l.Path)
	}
	for _, content := range call.Content {
		if diff, ok := content.(*acp.Diff); ok {
			in.paths = append(in.paths, diff.Path)
		}
	}
	s.Unclear = s.Unclear || in.unclear
	s.Commands = unique(in.commands)
	s.locate(in, root)
	s.Address = in.address || !s.isConcrete() && (in.hasAddress || speaksOfAddress(call))
	return s
}

func subjectKind(call *acp.ToolCall) acp.ToolKind { return cmp.Or(call.Kind, acp.ToolOther) }

func subjectTool(call *acp.ToolCall) string {
	if call.Name == nil {
		return ""
	}
	return *call.Name
}

// isConcrete reports whether the kind is about files or commands, whose texts may have any address in them.
func (s *Subject) isConcrete() bool {
	return s.Kind == acp.ToolExecute || slices.Contains(fileKinds(), s.Kind)
}

// locate finds out where the paths are.
func (s *Subject) locate(in *input, root string) {
	bases := []string{root}
	add := func(path string) (found []location) {
		found, sure := locate(path, bases)
		s.paths = append(s.paths, found...)
		s.Unclear = s.Unclear || !sure
		return found
	}
	for _, dir := range unique(in.dirs) {
		for _, l := range add(dir) {
			bases = append(bases, l.written)
			s.Dirs = append(s.Dirs, l.physical)
		}
	}
	slices.Sort(s.Dirs)
	s.Dirs = slices.Compact(s.Dirs)
	for _, path := range unique(in.paths) {
		add(path)
	}
	for _, l := range s.paths {
		s.Paths = append(s.Paths, l.physical)
	}
	slices.Sort(s.Paths)
	s.Paths = slices.Compact(s.Paths)
}

// speaksOfAddress looks at what a call shows to people.
func speaksOfAddress(call *acp.ToolCall) bool {
	texts := []string{}
	if call.Title != nil {
		texts = append(texts, *call.Title)
	}
	for _, content := range call.Content {
		if c, ok := content.(*acp.ToolContent); ok {
			if text, ok := c.Content.(*acp.TextContent); ok {
				texts = append(texts, text.Text)
			}
		}
	}
	return slices.ContainsFunc(texts, isAddress)
}

// isAddress reports whether there is a web address in a text.
func isAddress(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "http://") || strings.Contains(text, "https://")
}

// unique returns the texts without repetitions, in their order.
func unique(texts []string) []string {
	var out []string
	for _, text := range texts {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
