package fakeagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
	"github.com/acpharness/acpharness/internal/fakemcp"
	"github.com/acpharness/acpharness/internal/fakemodel"
)

// The variables that make the test binary an MCP server on its standard streams.
const (
	serverLabel   = "FAKEMCP_TEST_LABEL"
	serverJournal = "FAKEMCP_TEST_JOURNAL"
	serverTools   = "FAKEMCP_TEST_TOOLS"
	serverFault   = "FAKEMCP_TEST_FAULT"
)

func beServer(label string) int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM)
	if os.Getenv(serverFault) == "mute" {
		<-signals // only a kill ends it
		<-signals
	}
	err := fakemcp.Serve(context.Background(), os.Stdin, os.Stdout, &fakemcp.Options{
		Label: label, Journal: os.Getenv(serverJournal), Tools: os.Getenv(serverTools), Args: os.Args[1:], Signals: signals,
	})
	if os.Getenv(serverFault) == "stubborn" {
		<-signals
		<-signals
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// entries and settings are the members of an agent file and of one server in it.
type (
	entries  map[string]settings
	settings map[string]any
)

// bench is an agent with an agent file, a model, and a journal that all its servers share.
type bench struct {
	*client // of the agent, once it is started
	t       *testing.T
	file    string
	journal string
	model   *fakemodel.Listener
}

// newBench is a bench whose agent is still to be started.
func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t}
	dir := t.TempDir()
	b.file, b.journal = filepath.Join(dir, "agent.json"), filepath.Join(dir, "journal")
	var err error
	b.model, err = fakemodel.Listen(context.Background(), "127.0.0.1:0", nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.model.Close()) })
	return b
}

// start starts the agent, with the file as it is.
func (b *bench) start(script fakeagent.MCPScript) {
	b.t.Helper()
	script.File, script.Model = b.file, b.model.URL()
	b.client = dial(b.t, &fakeagent.Script{MCP: &script})
	f, _ := b.call("initialize", initParams)
	require.Nil(b.t, f.Error)
}

// server is an entry for the test binary. All servers have the tools alpha and beta.
func (b *bench) server(label string, more ...any) settings {
	b.t.Helper()
	return with(settings{"command": self(b.t), "args": []string{}, "env": b.env(label)}, more...)
}

func (b *bench) env(label string) map[string]string {
	return map[string]string{
		serverLabel: label, serverJournal: b.journal,
		"GORACE": "atexit_sleep_ms=0", // the race detector's run time would hold up every exit for a second
	}
}

func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	require.NoError(t, err)
	return name
}

// with returns s with pairs of names and values; nil takes a member away.
func with(s settings, pairs ...any) settings {
	for n := 0; n < len(pairs); n += 2 {
		if name := pairs[n].(string); pairs[n+1] == nil {
			delete(s, name)
		} else {
			s[name] = pairs[n+1]
		}
	}
	return s
}

// write replaces the file by renaming another one over it.
func (b *bench) write(content settings) {
	b.t.Helper()
	require.NoError(b.t, os.WriteFile(b.file+".new", encoded(b.t, content), 0o600))
	require.NoError(b.t, os.Rename(b.file+".new", b.file))
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

// agentFile is the content of a file in which the server with this name is approved of.
func agentFile(servers entries, refs ...string) settings {
	return settings{"mcpServers": servers, "tools": append([]string{}, refs...), "allowedTools": []string{"@keep", "@s"}}
}

// begin opens a session with the servers given, which are JSON.
func (b *bench) begin(given ...settings) string {
	b.t.Helper()
	f, _ := b.call("session/new", fmt.Sprintf(`{"cwd":"/work","mcpServers":%s}`, encoded(b.t, append([]settings{}, given...))))
	require.Nil(b.t, f.Error)
	var r struct{ SessionID string }
	require.NoError(b.t, json.Unmarshal(f.Result, &r))
	b.until(func(f frame) bool {
		return f.Params.SessionID == r.SessionID && f.Params.Update.SessionUpdate == "available_commands_update"
	})
	return r.SessionID
}

// given is the entry of a server for session/new.
func (b *bench) given(name, label string) settings {
	b.t.Helper()
	env := []settings{}
	for name, value := range b.env(label) {
		env = append(env, settings{"name": name, "value": value})
	}
	return settings{"name": name, "command": self(b.t), "args": []string{}, "env": env}
}

// offered plays a turn and returns the tools that the model was offered in it.
func (b *bench) offered(session string) string {
	b.t.Helper()
	before := len(b.model.Calls())
	f, _ := b.prompt(session, "hi", `"result":{}`)
	require.Equal(b.t, "end_turn", stopReason(b.t, f))
	calls := slices.DeleteFunc(b.model.Calls()[before:], func(c fakemodel.Call) bool { return c.LastUser != "hi" })
	require.Len(b.t, calls, 1)
	return strings.Join(calls[0].Tools, " ")
}

// use lets the model call a tool and returns the end of the turn's text, which tells of the result.
func (b *bench) use(session, tool string) string {
	b.t.Helper()
	f, before := b.prompt(session, fmt.Sprintf(`@@TOOL %s {"x":"1"}@@`, tool), `"result":{}`)
	require.Equal(b.t, "end_turn", stopReason(b.t, f))
	return strings.TrimPrefix(said(before), "done after tool: ")
}

// hears waits until the client has been told of a server.
func (b *bench) hears(name string) {
	b.t.Helper()
	if !slices.Contains(b.notices, name) {
		b.until(func(f frame) bool { return f.notice() == name })
	}
}

// await waits until the journal has as many entries of a kind, and returns them.
func (b *bench) await(match func(fakemcp.Entry) bool, count int) []fakemcp.Entry {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	var found []fakemcp.Entry
	_, err := fakemcp.Await(ctx, b.journal, func(all []fakemcp.Entry) bool {
		found = matching(all, match)
		return len(found) >= count
	})
	require.NoError(b.t, err)
	return found
}

func matching(all []fakemcp.Entry, match func(fakemcp.Entry) bool) []fakemcp.Entry {
	return slices.DeleteFunc(slices.Clone(all), func(e fakemcp.Entry) bool { return !match(e) })
}

func happened(label string, event fakemcp.Event) func(fakemcp.Entry) bool {
	return func(e fakemcp.Entry) bool { return e.Label == label && e.Event == event }
}

// count is how often something has happened so far.
func (b *bench) count(match func(fakemcp.Entry) bool) int {
	b.t.Helper()
	all, err := fakemcp.ReadJournal(b.journal)
	require.NoError(b.t, err)
	return len(matching(all, match))
}

// elapse lets pass the time in which a good agent follows an edit that was made before the call: it lets one follow an
// edit that is made now.
func elapse(t *testing.T) {
	t.Helper()
	b := newBench(t)
	b.start(fakeagent.MCPScript{})
	b.begin()
	b.write(agentFile(entries{"none": {}}))
	b.hears("none!")
}
