package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/harness/mcpfile"
	"github.com/acpharness/acpharness/parity/bench"
)

// coldRun is an agent that is started again and again with servers of its own configuration.
type coldRun struct {
	*lane
	config          *mcpfile.Config
	one, two, three *bench.MCPServer // the third is reached over HTTP
}

func newColdRun(t *testing.T, pin pinned) *coldRun {
	t.Helper()
	r := &coldRun{lane: newLane(t, pin)}
	r.config = r.mcpConfig()
	var err error
	r.one, err = r.bench.MCPServer("one")
	require.NoError(t, err)
	r.two, err = r.bench.MCPServer("two")
	require.NoError(t, err)
	r.three, err = r.bench.ServeMCP("three")
	require.NoError(t, err)
	return r
}

func (r *coldRun) all() []*bench.MCPServer { return []*bench.MCPServer{r.one, r.two, r.three} }

// path is that of the file that servers are added to.
func (r *coldRun) path() string { return r.config.Files()[0].Path() }

func (r *coldRun) text() string {
	r.t.Helper()
	text, err := os.ReadFile(r.path())
	require.NoError(r.t, err)
	return string(text)
}

// seen is what one start of the agent has done.
type seen struct {
	starts, asked map[string]int // of the servers by their names: processes, and messages that came
	offered       []string       // as of tidy
}

// start starts the agent anew, lets it have a session and turns in which the model is shown all tools that there are, and ends it. It
// fails unless these servers were asked for their tools; what did not happen to the others has been seen only beside them.
func (r *coldRun) start(servers ...*bench.MCPServer) seen {
	r.t.Helper()
	s, err := r.try(servers...)
	require.NoError(r.t, err)
	return s
}

// try is start for an agent that may refuse to.
func (r *coldRun) try(servers ...*bench.MCPServer) (seen, error) {
	r.t.Helper()
	ctx, stop := context.WithTimeout(r.t.Context(), patience)
	defer stop()
	calls, before := len(r.bench.ModelCalls()), map[string]int{}
	for _, s := range r.all() {
		before[s.Name] = len(r.journal(s))
	}
	r.words.forget()
	err := r.play(ctx, calls, func() error {
		for _, s := range servers {
			listed := func(entries []bench.MCPEntry) bool { return received("tools/list")(entries[before[s.Name]:]) }
			if _, err := s.Await(ctx, listed); err != nil {
				return err
			}
		}
		return nil
	})
	s := seen{map[string]int{}, map[string]int{}, tidy(append(r.toolsSince(calls), r.words.all()...))}
	for _, server := range r.all() {
		for _, e := range r.journal(server)[before[server.Name]:] {
			if e.Event == "start" {
				s.starts[server.Name]++
			}
			if e.Event == "received" {
				s.asked[server.Name]++
			}
		}
	}
	return s, err
}

// play plays the turns of a start, after what is to be waited for. When it returns no process is left that could start a server.
func (r *coldRun) play(ctx context.Context, calls int, wait func() error) (err error) {
	p, err := r.connect(ctx, acp.PermissionFunc(allowed))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close(context.WithoutCancel(ctx))) }()
	session, err := r.session(ctx, p.Conn())
	if err != nil {
		return err
	}
	if err := wait(); err != nil {
		return err
	}
	r.turn(ctx, session, "hello")
	if search := searchTool(r.toolsSince(calls)); search != "" {
		for _, tool := range []string{"alpha", "beta"} {
			r.turn(ctx, session, fmt.Sprintf(`@@TOOL %s {"query":%q}@@`, search, tool))
		}
	}
	return nil
}

// expect compares the tools that the model was offered, by name or in words, or found by a search.
func (r *coldRun) expect(what string, s seen, offered []string) {
	r.t.Helper()
	r.t.Logf("%s: started %v, messages %v, offered %v", what, s.starts, s.asked, s.offered)
	assert.Equal(r.t, offered, s.offered, what)
}

// tools are all tools of servers, as of tidy.
func (r *coldRun) tools(servers ...*bench.MCPServer) []string {
	var names []string
	for _, s := range servers {
		names = append(names, s.Name+"_alpha", s.Name+"_beta")
	}
	return tidy(names)
}

func (r *coldRun) journal(s *bench.MCPServer) []bench.MCPEntry {
	r.t.Helper()
	entries, err := s.Journal()
	require.NoError(r.t, err)
	return entries
}

// toolsSince are the names of the tools in the requests to the model after the first of them.
func (r *coldRun) toolsSince(calls int) []string {
	var names []string
	for _, call := range r.bench.ModelCalls()[calls:] {
		names = append(names, call.Tools...)
	}
	return names
}

func searchTool(names []string) string {
	i := slices.IndexFunc(names, func(s string) bool {
		return strings.HasSuffix(strings.ReplaceAll(strings.ToLower(s), "_", ""), "toolsearch")
	})
	if i < 0 {
		return ""
	}
	return names[i]
}

var serverTool = regexp.MustCompile(`(one|two|three)[_/-]+(alpha|beta)$`)

// tidy leaves the tools of the servers, as "server tool", whatever the agent calls them, sorted.
func tidy(names []string) []string {
	tools := []string{}
	for _, name := range names {
		if m := serverTool.FindStringSubmatch(name); m != nil {
			tools = append(tools, m[1]+" "+m[2])
		}
	}
	slices.Sort(tools)
	return slices.Compact(tools)
}

func allowed(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
	outcome, _ := req.Allow()
	return outcome, nil
}
