package backends

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// absolutePath is a path that depends on no folder, on any system: a file means the same everywhere.
const absolutePath = `^(?:/|\\\\|[A-Za-z]:[\\/])`

func (r *userReader) readCommand(d *Descriptor, members map[string]node) {
	args, hasArgs := members["args"]
	if n, ok := members["command"]; !ok {
		r.fault("command", "it is missing")
	} else {
		d.Launch.Command = r.text("command", n)
		r.checkCommand(d.Launch.Command, n.kind == jsontext.KindString, hasArgs)
	}
	if !hasArgs {
		return
	}
	d.Launch.Args = r.list("args", args)
	for i, elem := range args.elems {
		if elem.kind == jsontext.KindString {
			r.placeholders(at("args", i), elem.text)
		}
	}
}

// checkCommand never shows the command: a shell line may set secrets in front.
func (r *userReader) checkCommand(command string, isText, hasArgs bool) {
	switch {
	case !isText:
		return
	case strings.TrimSpace(command) == "":
		r.fault("command", "it is empty")
		return
	case command != strings.TrimSpace(command):
		r.fault("command", "there is space around it")
	case strings.ContainsFunc(command, unicode.IsSpace) && !hasArgs:
		r.fault("command", "it looks like a shell line, and no shell reads it: command is the program, args are its arguments, env is "+
			`what to set; if there is space in the program's name, say so with "args": []`)
	}
	if strings.ContainsAny(command, "{}") {
		r.fault("command", "there are no placeholders here")
	}
	if strings.ContainsAny(command, `/\`) && !regexp.MustCompile(absolutePath).MatchString(command) {
		r.fault("command", "want the name of a program or an absolute path")
	}
}

func (r *userReader) placeholders(where, text string) {
	for _, fault := range checkPlaceholders(text) {
		r.fault(where, "%s", fault)
	}
}

func (r *userReader) readProtocol(d *Descriptor, members map[string]node) {
	const where = "protocolVersion"
	n, ok := members[where]
	if !ok {
		return
	}
	switch n.kind {
	case jsontext.KindNumber:
		d.ProtocolVersion = n.text
	case jsontext.KindString:
		literal, err := json.Marshal(r.text(where, n))
		if err != nil {
			r.fault(where, "%v", err)
		}
		d.ProtocolVersion = string(literal)
	default:
		r.fault(where, "want a number or a string, have %v", n)
		return
	}
	if len(n.text) > longestVersion || validateLiteral(d.ProtocolVersion) != nil {
		r.fault(where, "it is neither a whole number up to 65535 nor a string that says something")
	}
}
