package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/terminal"
	"github.com/acpharness/acpharness/acp/workspace"
	"github.com/acpharness/acpharness/parity/bench"
)

// serviceColumns are what is tried with a client that serves files and terminals, in this order, and the headings of the table.
var serviceColumns = []struct {
	name string
	try  func(ctx context.Context, r *servedRun) string
}{
	{"reads a file", readFile},
	{"makes a file", func(ctx context.Context, r *servedRun) string { return writeFile(ctx, r, "new.txt") }},
	{"changes a file", func(ctx context.Context, r *servedRun) string { return writeFile(ctx, r, "old.txt") }},
	{"runs a command", runCommand},
	{"settings set", setAll},
}

func serviceHeading() []string {
	var heading []string
	for _, c := range serviceColumns {
		heading = append(heading, c.name)
	}
	return heading
}

// fileTools are the tools by which agents write and read a file. What is not here has none, or none that is known.
var fileTools = map[string]struct{ write, read string }{
	"opencode":  {`write {"filePath":%q,"content":%q}`, `read {"filePath":%q}`},
	"kilo":      {`write {"filePath":%q,"content":%q}`, `read {"filePath":%q}`},
	"qwen":      {`write_file {"file_path":%q,"content":%q}`, `read_file {"file_path":%q}`},
	"gemini":    {`write_file {"file_path":%q,"content":%q}`, `read_file {"file_path":%q}`},
	"claude":    {`Write {"file_path":%q,"content":%q}`, `Read {"file_path":%q}`},
	"copilot":   {`create {"path":%q,"file_text":%q}`, `view {"path":%q}`},
	"droid":     {`Create {"file_path":%q,"content":%q}`, `Read {"file_path":%q}`},
	"pi":        {`write {"path":%q,"content":%q}`, `read {"path":%q}`},
	"nanocoder": {`write_file {"path":%q,"content":%q}`, `read_file {"path":%q}`},
}

// TestServices lets every agent work with a client that serves files and terminals, and compares it with the table of
// docs/agents.md.
func TestServices(t *testing.T) {
	chosen := agents(t)
	table := readTable(t, serviceHeading())
	for _, pin := range chosen {
		t.Run(pin.id, func(t *testing.T) {
			t.Parallel()
			l := newLane(t, pin)
			if l.recipe.Shell == nil {
				t.Skip("there is no recipe by which it opens a session")
			}
			r := &servedRun{run: &run{lane: l}}
			p, err := l.connectWith(t.Context(), r.options())
			require.NoError(t, err)
			defer func() { assert.NoError(t, p.Close(context.WithoutCancel(t.Context()))) }()
			r.conn = p.Conn()
			var cells []string
			for _, column := range serviceColumns {
				ctx, stop := context.WithTimeout(t.Context(), patience)
				cell := column.try(ctx, r)
				stop()
				t.Logf("%s: %s", column.name, cell)
				cells = append(cells, cell)
			}
			table.compare(t, pin.id, cells)
		})
	}
	t.Cleanup(func() { table.write(t) })
}

// servedRun is a run whose client serves files and terminals, and writes down what it is asked for.
type servedRun struct {
	*run

	mu     sync.Mutex
	served []string
}

func (r *servedRun) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.served = append(r.served, what)
}

// fresh forgets what was served, and returns it.
func (r *servedRun) fresh() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	served := r.served
	r.served = nil
	return slices.Compact(served)
}

// options serve everything: what an agent asks leave for is allowed.
func (r *servedRun) options() acp.ClientOptions {
	missing := workspace.MissingError
	if r.descriptor.ReadsBeforeCreating {
		missing = workspace.MissingEmpty
	}
	files := workspace.New(&workspace.Options{Missing: missing})
	return acp.ClientOptions{
		Tap: r.tap, ReadTextFile: &notedReader{r, files}, WriteTextFile: &notedWriter{r, files},
		Terminal: &notedTerminal{r, terminal.New(nil)},
		Permission: acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			r.note("asked")
			outcome, ok := req.Allow()
			if !ok {
				return req.Reject(), nil
			}
			return outcome, nil
		}),
	}
}

type (
	notedReader struct {
		run   *servedRun
		files acp.FileReader
	}
	notedWriter struct {
		run   *servedRun
		files acp.FileWriter
	}
	notedTerminal struct {
		run  *servedRun
		host acp.TerminalHandler
	}
)

func (n *notedReader) ReadTextFile(ctx context.Context, req *acp.ReadTextFileRequest) (string, error) {
	text, err := n.files.ReadTextFile(ctx, req)
	n.run.note("read by us" + failure(err))
	return text, err
}

func (n *notedWriter) WriteTextFile(ctx context.Context, req *acp.WriteTextFileRequest) error {
	err := n.files.WriteTextFile(ctx, req)
	n.run.note("written by us" + failure(err))
	return err
}

func (n *notedTerminal) CreateTerminal(ctx context.Context, req *acp.CreateTerminalRequest) (acp.HostedTerminal, error) {
	hosted, err := n.host.CreateTerminal(ctx, req)
	n.run.note("run by us" + failure(err))
	return hosted, err
}

func failure(err error) string {
	if err == nil {
		return ""
	}
	return " in vain"
}

// call lets the model call tools, one in a turn, in a session of their own, and returns how the last turn ended.
func (r *servedRun) call(ctx context.Context, tools ...string) string {
	s, err := r.session(ctx, r.conn)
	require.NoError(r.t, err)
	ended := ""
	for _, tool := range tools {
		turn, err := s.Prompt(ctx, acp.Text("@@TOOL "+tool+"@@"), &acp.PromptOptions{NoUpdates: true})
		require.NoError(r.t, err)
		ended = outcome(turn.Wait(ctx))
	}
	return ended
}

func (r *servedRun) path(name string) string { return filepath.Join(r.bench.Workspace(), name) }

// readFile tells who reads a file that the model wants to see: the agent's own way leaves no trace here.
func readFile(ctx context.Context, r *servedRun) string {
	tool := fileTools[r.pin.id].read
	if tool == "" {
		return "-"
	}
	require.NoError(r.t, os.WriteFile(r.path("read.txt"), []byte("a secret word: xyzzy\n"), 0o600))
	r.fresh()
	ended := r.call(ctx, fmt.Sprintf(tool, r.path("read.txt")))
	seen := slices.ContainsFunc(r.bench.ModelCalls(), func(c bench.ModelCall) bool { return strings.Contains(c.LastTool, "xyzzy") })
	words := r.fresh()
	if !slices.Contains(words, "read by us") && seen {
		words = append(words, "read by itself")
	}
	return strings.Join(append(words, ended), ", ")
}

// writeFile tells who writes a file for the model.
func writeFile(ctx context.Context, r *servedRun, name string) string {
	tool := fileTools[r.pin.id].write
	if tool == "" {
		return "-"
	}
	tools := []string{fmt.Sprintf(tool, r.path(name), "after\n")}
	if name == "old.txt" { // some agents change nothing that they have not read
		require.NoError(r.t, os.WriteFile(r.path(name), []byte("before\n"), 0o600))
		tools = append([]string{fmt.Sprintf(fileTools[r.pin.id].read, r.path(name))}, tools...)
	}
	r.fresh()
	ended := r.call(ctx, tools...)
	words := slices.DeleteFunc(r.fresh(), func(w string) bool { return strings.HasPrefix(w, "read by us") })
	text, err := os.ReadFile(r.path(name))
	switch {
	case err != nil || string(text) != "after\n":
		words = append(words, "not written")
	case !slices.Contains(words, "written by us"):
		words = append(words, "written by itself")
	}
	return strings.Join(append(words, ended), ", ")
}

// runCommand tells who runs a command for the model.
func runCommand(ctx context.Context, r *servedRun) string {
	call, err := r.recipe.ShellCall("touch ran.txt")
	require.NoError(r.t, err)
	r.fresh()
	ended := r.call(ctx, fmt.Sprintf("%s %s", call.Name, call.Arguments))
	words := r.fresh()
	_, err = os.Stat(r.path("ran.txt"))
	switch {
	case err != nil:
		words = append(words, "not run")
	case !slices.Contains(words, "run by us"):
		words = append(words, "run by itself")
	}
	return strings.Join(append(words, ended), ", ")
}

// setAll sets everything that the session offers to something else, and says what became of it.
func setAll(ctx context.Context, r *servedRun) string {
	s, err := r.conn.NewSession(ctx, r.bench.Workspace(), nil)
	require.NoError(r.t, err)
	defer func() { _ = s.Close(context.WithoutCancel(ctx)) }()
	r.t.Logf("offers %v", settingsOf(s))
	var words []string
	for _, option := range s.Settings() {
		other, ok := another(&option)
		if !ok {
			words = append(words, option.ID+" has one value")
			continue
		}
		if err := s.Set(ctx, option.ID, other); err != nil {
			r.t.Log(err)
			words = append(words, option.ID+" refused")
			continue
		}
		words = append(words, option.ID)
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, ", ")
}

func settingsOf(s *acp.Session) []string {
	var all []string
	for _, o := range s.Settings() {
		all = append(all, fmt.Sprintf("%s=%s of %d", o.ID, o.Current(), len(o.Choices)))
	}
	return all
}

// another returns a value that the option does not have now.
func another(o *acp.ConfigOption) (string, bool) {
	if o.Type == acp.ConfigBoolean {
		return map[string]string{"true": "false", "false": "true"}[o.Current()], true
	}
	for _, c := range o.Choices {
		if c.Value != o.Value {
			return c.Value, true
		}
	}
	return "", false
}
