package live

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/parity/bench"
)

// TestMCPServerOfTheConfiguration lets agents start the fake MCP server from their own configuration, as the editor writes it: its
// journal tells of the start, the model is offered its tools, and a call arrives.
func TestMCPServerOfTheConfiguration(t *testing.T) {
	for _, pin := range withMCPFiles(t) {
		t.Run(pin.id, func(t *testing.T) {
			t.Parallel()
			l := newLane(t, pin)
			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			server, err := l.bench.MCPServer("fake", "--first")
			require.NoError(t, err)
			l.configure(server)
			p := l.mustConnect(ctx, acp.PermissionFunc(allowed))
			s := l.mustOpen(ctx, p)
			_, err = server.Await(ctx, received("tools/list"))
			require.NoError(t, err)
			tool := l.offered(ctx, s, "alpha")
			l.turn(ctx, s, fmt.Sprintf(`@@TOOL %s {"x":"1"}@@`, tool))
			require.NoError(t, p.Close(ctx))
			entries, err := server.Journal()
			require.NoError(t, err)
			assert.True(t, received("tools/call")(entries), "%s", brief(entries))
			assert.Equal(t, []string{"--first"}, entries[0].Args)
			t.Logf("%s is called %s; its journal: %s", "alpha", tool, brief(entries))
			assert.Empty(t, l.left())
		})
	}
}

// received waits for a method in a journal.
func received(method string) func([]bench.MCPEntry) bool {
	return func(entries []bench.MCPEntry) bool {
		return slices.ContainsFunc(entries, func(e bench.MCPEntry) bool { return e.Method == method })
	}
}

// offered returns the name by which the model can call a tool of the server. Some agents do not offer it before the model
// has searched for it, and some do not even then; what the model was told of it in words has to do.
func (l *lane) offered(ctx context.Context, s *acp.Session, tool string) string {
	l.t.Helper()
	l.turn(ctx, s, "hello")
	name := l.toolLike(tool)
	search := cmp.Or(l.toolLike("toolsearch"), l.toolLike("tool_search"))
	if name == "" && search != "" {
		query := tool
		if told := l.words.find(tool); told != "" {
			query = "select:" + told
		}
		l.turn(ctx, s, fmt.Sprintf(`@@TOOL %s {"query":"%s"}@@`, search, query))
		name = cmp.Or(l.toolLike(tool), l.words.find(tool))
	}
	require.NotEmpty(l.t, name, "the tool was never offered: %v", calls(l.bench))
	return name
}

// toolLike returns the first tool that the model was offered whose name ends in this, in any case.
func (l *lane) toolLike(end string) string {
	for _, call := range l.bench.ModelCalls() {
		for _, name := range call.Tools {
			if strings.HasSuffix(strings.ToLower(name), end) {
				return name
			}
		}
	}
	return ""
}

// turn plays a turn that must end well.
func (l *lane) turn(ctx context.Context, s *acp.Session, prompt string) {
	l.t.Helper()
	turn, err := s.Prompt(ctx, acp.Text(prompt), nil)
	require.NoError(l.t, err)
	require.Equal(l.t, "end_turn", outcome(turn.Wait(ctx)))
}

// words are the names of MCP tools that a model was told of in a text.
type words struct {
	mu    sync.Mutex
	names []string
}

// reply notes names and lets the model say what it would have said.
func (w *words) reply(r bench.ModelRequest) bench.ModelReply {
	w.mu.Lock()
	for _, m := range r.Messages {
		w.names = append(w.names, nameInWords.FindAllString(m.Text, -1)...)
	}
	w.mu.Unlock()
	return bench.DefaultReply(r)
}

var nameInWords = regexp.MustCompile(`\b[A-Za-z0-9_]*(fake|one|two|three)_+(alpha|beta)\b`)

// all returns the names, and forget what to do to find those of one start only.
func (w *words) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.names)
}

func (w *words) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names = nil
}

func (w *words) find(tool string) string {
	for _, name := range w.all() {
		if strings.HasSuffix(name, tool) {
			return name
		}
	}
	return ""
}

// brief lists the events of a journal.
func brief(entries []bench.MCPEntry) string {
	var words []string
	for _, e := range entries {
		word := string(e.Event)
		if e.Event == "received" {
			word = e.Method
		}
		words = append(words, strings.TrimSpace(word+" "+e.Signal))
	}
	return strings.Join(words, ", ")
}
