package permission

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// input is what the raw input of a tool call names. Agents have names of their own for the same things.
type input struct {
	commands, paths, dirs []string
	address               bool // a member that is for an address
	hasAddress            bool // any text with an address in it
	unclear               bool
}

// deepest is how far the members of an input are followed.
const deepest = 32

// memberMeaning says what a member of an input is for, by its name in lower case and without _ and -.
func memberMeaning(name string) string {
	switch name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name)); name {
	case "command", "cmd", "commandline", "shellcommand", "commands", "argv":
		return "command"
	case "args", "arguments":
		return "arguments"
	case "cwd", "workdir", "workingdir", "workingdirectory", "currentdirectory":
		return "dir"
	case "path", "paths", "file", "files", "filename", "filenames", "source", "destination", "dir", "directory", "folder",
		"from", "to", "src", "dst", "dest":
		return "path"
	case "env", "environment", "envs", "environmentvariables", "envvars":
		return "env"
	case "url", "uri", "urls", "uris", "href", "link":
		return "address"
	}
	for suffix, meaning := range map[string]string{
		"path": "path", "paths": "path", "filename": "path", "file": "path", "directory": "path", "url": "address", "uri": "address",
	} {
		if strings.HasSuffix(name, suffix) {
			return meaning
		}
	}
	return ""
}

// read collects what a value and its members name.
func (in *input) read(value any, depth int) {
	if depth > deepest {
		in.unclear = true
		return
	}
	switch v := value.(type) {
	case string:
		in.hasAddress = in.hasAddress || isAddress(v)
	case []any:
		for _, item := range v {
			in.read(item, depth+1)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			in.read(v[name], depth+1)
			in.member(memberMeaning(name), v[name])
		}
		in.lines(v)
	}
}

func (in *input) member(meaning string, value any) {
	switch meaning {
	case "dir":
		in.dirs = append(in.dirs, in.texts(value)...)
	case "path":
		in.paths = append(in.paths, in.texts(value)...)
	case "env":
		in.unclear = in.unclear || !harmlessEnv(value)
	case "address":
		for _, text := range in.texts(value) {
			if len(text) >= len("file:") && strings.EqualFold(text[:len("file:")], "file:") {
				in.paths = append(in.paths, text)
			} else if text != "" {
				in.address = true
			}
		}
	}
}

// texts returns a text, or those of a list. Lists of objects are read for themselves.
func (in *input) texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, item := range v {
			if text, ok := item.(string); ok {
				out = append(out, text)
			}
		}
		return out
	}
	return nil
}

// lines collects the command lines of an object: members for commands, with the arguments that may stand beside.
func (in *input) lines(object map[string]any) {
	var commands, arguments []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := object[name]
		switch memberMeaning(name) {
		case "command":
			commands = append(commands, in.command(value, strings.HasSuffix(strings.ToLower(name), "s"))...)
		case "arguments":
			switch v := value.(type) {
			case string:
				arguments = append(arguments, v)
			case []any:
				arguments = append(arguments, in.argv(v))
			}
		}
	}
	for _, command := range commands {
		in.commands = append(in.commands, strings.TrimRight(strings.Join(append([]string{command}, arguments...), " "), " "))
	}
}

// command reads a line, a list of arguments or, if there may be many, a list of such.
func (in *input) command(value any, many bool) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		if !many {
			return []string{in.argv(v)}
		}
		var out []string
		for _, item := range v {
			out = append(out, in.command(item, false)...)
		}
		return out
	case nil:
		return nil
	}
	in.unclear = true
	return nil
}

// argv is a list of arguments as a line.
func (in *input) argv(list []any) string {
	words := in.texts(list)
	if len(words) < len(list) {
		in.unclear = true
	}
	if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") && isShell(words[0]) {
		return words[2]
	}
	for i, word := range words {
		if !regexp.MustCompile(`^[\w@%+=:,./-]+$`).MatchString(word) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// isShell knows shells where they are at home: what is called so elsewhere may be anything.
func isShell(program string) bool {
	for _, dir := range []string{"/bin/", "/usr/bin/"} {
		program = strings.TrimPrefix(program, dir)
	}
	return slices.Contains([]string{"sh", "bash", "dash", "zsh"}, program)
}
