package main

import (
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/harness/mcpfile"
)

// mcpAdd is what --flags say of a new server.
type mcpAdd struct {
	url, cwd, spec string
	sse            bool
	env, headers   []string
}

func (a *app) mcpAddCommand(f *mcpFlags) *cobra.Command {
	m := &mcpAdd{}
	cmd := &cobra.Command{
		Use:   "add [flags] NAME -- COMMAND [ARGS...] | NAME --url URL | NAME --spec JSON|-",
		Short: "Add a server",
		Long: "Adds a server that the agent starts by a command, or reaches at an address. --spec is the entry in the agent's own terms.\n" +
			"A variable or header without a value takes it from the environment, so that it need not be on a command line.",
		Example: "  acpctl mcp add --backend copilot time -- uvx mcp-server-time\n" +
			"  GITHUB_TOKEN=… acpctl mcp add --backend codex --env GITHUB_TOKEN github -- npx -y @modelcontextprotocol/server-github\n" +
			"  acpctl mcp add --backend claude --url https://example.com/mcp --header Authorization docs",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return a.addMCP(cmd, f, m, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&m.url, "url", "", "the server is at `URL`, over streamable HTTP")
	flags.BoolVar(&m.sse, "sse", false, "with --url: over server-sent events, the older transport")
	flags.StringVar(&m.cwd, "cwd", "", "start it in `DIR`")
	flags.StringArrayVar(&m.env, "env", nil, "a variable `NAME[=VALUE]` for the command (repeatable)")
	flags.StringArrayVar(&m.headers, "header", nil, "a header `NAME[=VALUE]` or \"NAME: VALUE\" for the address (repeatable)")
	flags.StringVar(&m.spec, "spec", "", "the whole entry as a `JSON` object, - for stdin")
	return cmd
}

func (a *app) addMCP(cmd *cobra.Command, f *mcpFlags, m *mcpAdd, args []string) error {
	dash := cmd.ArgsLenAtDash()
	var command []string
	if dash >= 0 {
		args, command = args[:dash], args[dash:]
	}
	if len(args) != 1 {
		return usageError("name one server, and put its command behind --")
	}
	entry := mcpfile.Entry{Name: args[0]}
	ways := 0
	for _, given := range []bool{len(command) > 0, m.url != "", m.spec != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return usageError("say what the server is in one way: a command behind --, --url, or --spec")
	}
	var err error
	switch {
	case m.spec != "":
		if len(m.env)+len(m.headers) > 0 || m.cwd != "" || m.sse {
			return usageError("--spec says everything: no other flag describes the server")
		}
		if entry.Spec, err = a.readSpec(m.spec); err != nil {
			return err
		}
	default:
		if entry.Server, err = m.server(command); err != nil {
			return err
		}
	}
	verb := mcpVerb{name: "add", done: "added"}
	return a.editMCP(f, verb, args, func(config *mcpfile.Config) (*mcpfile.Result, error) { return config.Add(cmd.Context(), entry) })
}

func (a *app) readSpec(text string) (mcpfile.Spec, error) {
	if text == "-" {
		all, err := io.ReadAll(io.LimitReader(a.streams.In, 1<<20))
		if err != nil {
			return mcpfile.Spec{}, err
		}
		text = string(all)
	}
	spec, err := mcpfile.ParseSpec(text)
	if err != nil {
		return spec, &exitError{exitUsage, err}
	}
	return spec, nil
}

func (m *mcpAdd) server(command []string) (s mcpfile.Server, err error) {
	if s.Env, err = pairs("--env", m.env, "=", variableName); err != nil {
		return s, err
	}
	if s.Headers, err = pairs("--header", m.headers, "=:", headerName); err != nil {
		return s, err
	}
	s.Cwd, s.URL = m.cwd, m.url
	if len(command) > 0 {
		s.Command, s.Args = command[0], command[1:]
	}
	if m.sse {
		s.Transport = mcpfile.SSE
	}
	if m.sse && m.url == "" || len(m.headers) > 0 && m.url == "" || m.url != "" && (len(m.env) > 0 || m.cwd != "") {
		return s, usageError("--env and --cwd go with a command, --header and --sse with --url")
	}
	return s, nil
}

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName   = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") // a token of HTTP
)

// pairs reads names with their values behind one of the separators, and takes the value of a name alone from the environment. An error
// never has a value, nor what is no name, since that may be one.
func pairs(flag string, list []string, separators string, isName *regexp.Regexp) (map[string]string, error) {
	values := map[string]string{}
	for _, pair := range list {
		name, value, at := pair, "", strings.IndexAny(pair, separators)
		if at >= 0 {
			name, value = pair[:at], pair[at+1:]
			if pair[at] == ':' {
				value = strings.TrimSpace(value)
			}
		}
		if _, twice := values[name]; !isName.MatchString(name) || twice {
			return nil, usageError("%s: a name is none, or there twice: write NAME=VALUE, or NAME to take the value from the environment", flag)
		}
		if at < 0 {
			var ok bool
			if value, ok = os.LookupEnv(name); !ok {
				return nil, usageError("%s %s: there is no such variable to take the value from", flag, name)
			}
		}
		values[name] = value
	}
	return values, nil
}
