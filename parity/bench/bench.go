package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/internal/fakemodel"
)

// ModelCall is an entry of the fake model's journal: what a request asked and offered, and what it was answered.
type ModelCall = fakemodel.Call

// ModelRequest is what an agent asks of the fake model, whatever API it uses.
type ModelRequest = fakemodel.Request

// ModelReply is what the fake model says.
type ModelReply = fakemodel.Reply

// DefaultReply obeys the markers of a prompt. It is what the model says without Options.Reply.
func DefaultReply(r ModelRequest) ModelReply { return fakemodel.DefaultReply(r) }

// The kinds of reply that tell a caller what the model is about to do.
const (
	ReplyText    = fakemodel.KindText
	ReplyTool    = fakemodel.KindTool
	ReplyError   = fakemodel.KindError
	ReplySlow    = fakemodel.KindSlow
	ReplyEndless = fakemodel.KindEndless
	ReplyHang    = fakemodel.KindHang
)

// Options configure [Start]. The zero value works.
type Options struct {
	// MCPServer is the command line of a program that is the fake MCP server on its standard streams and takes the flags
	// of "acpctl mock mcp": the executable with its path, and the arguments that come before the flags. Without it
	// Bench.MCPServer fails.
	MCPServer []string
	// Reply decides what the model says; nil obeys markers in the prompt, see docs/mock-agent.md. It is called from many
	// goroutines at once and must not block.
	Reply func(ModelRequest) ModelReply
	// Journal is told about every request to the model, if not nil, as ModelCalls keeps it. It must not block.
	Journal func(ModelCall)
	// Log is where the fake servers complain; nil discards it.
	Log *slog.Logger
}

// Bench is the place where one agent runs: a folder with a home and a workspace of its own, a model server on loopback,
// and the files of a recipe. The goroutines of the servers end with Close, which joins them.
type Bench struct {
	recipe backends.Recipe
	opts   Options
	dir    string
	home   *Home
	model  *fakemodel.Listener
	env    []string

	mu      sync.Mutex
	closers []func() error // of the MCP servers, guarded by mu
}

// Start makes the place for a recipe. ctx bounds the model server: it ends with ctx or with Close, whichever is first.
// Nothing is left when Start fails.
func Start(ctx context.Context, recipe backends.Recipe, opts *Options) (*Bench, error) {
	b := &Bench{recipe: recipe}
	if opts != nil {
		b.opts = *opts
	}
	if err := b.start(ctx); err != nil {
		return nil, fmt.Errorf("cannot set up recipe %q: %w", recipe.Name, errors.Join(err, b.Close()))
	}
	return b, nil
}

func (b *Bench) start(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "acpharness-bench-"); err != nil {
		return err
	}
	// Where the temporary folder is a link, agents report the path behind it.
	resolved, err := filepath.EvalSymlinks(b.dir)
	if err != nil {
		return err
	}
	b.dir = resolved
	if b.home, err = NewHome(filepath.Join(b.dir, "home")); err != nil {
		return err
	}
	for _, dir := range []string{b.Workspace(), b.mcpDir()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	b.model, err = fakemodel.Listen(ctx, "", &fakemodel.Options{Reply: b.opts.Reply, Journal: b.opts.Journal, Log: b.opts.Log})
	if err != nil {
		return err
	}
	filled, err := b.recipe.Fill(backends.RecipeValues{Home: b.Home(), Workspace: b.Workspace(), Model: b.ModelURL()})
	if err != nil {
		return err
	}
	b.env = append(b.home.Vars(), filled.Env...)
	for name, content := range filled.Files {
		if err := b.WriteHome(name, content); err != nil {
			return err
		}
	}
	return nil
}

// Home returns the agent's home.
func (b *Bench) Home() string { return b.home.Dir }

// Workspace returns the folder for the agent's sessions, empty at first.
func (b *Bench) Workspace() string { return filepath.Join(b.dir, "workspace") }

func (b *Bench) mcpDir() string { return filepath.Join(b.dir, "mcp") }

// String names the place and its recipe, without a value.
func (b *Bench) String() string { return fmt.Sprintf("%s (%s)", b.dir, b.recipe) }

// GoString is String, so that %#v shows no value either.
func (b *Bench) GoString() string { return b.String() }

// Env returns what the agent's environment must have, as KEY=VALUE. It belongs on top of an environment without keys and
// settings of the user, see provider.EnvClean.
func (b *Bench) Env() []string { return slices.Clone(b.env) }

// WriteHome writes a file below the home, whose folders are made. The path has slashes.
func (b *Bench) WriteHome(name string, content []byte) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("cannot write %q: it is no path below the home", name)
	}
	file := filepath.Join(b.Home(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

// ModelURL returns the URL of the fake model, without a slash at the end.
func (b *Bench) ModelURL() string { return b.model.URL() }

// ModelCalls returns a copy of the fake model's journal, oldest first.
func (b *Bench) ModelCalls() []ModelCall { return b.model.Calls() }

// Close stops the servers and deletes the folder, which must have no process working in it any more. It may be called more
// than once.
func (b *Bench) Close() error {
	b.mu.Lock()
	closers := b.closers
	b.closers = nil
	b.mu.Unlock()
	var errs []error
	for _, c := range closers {
		errs = append(errs, c())
	}
	if b.model != nil {
		errs = append(errs, b.model.Close())
	}
	if b.dir != "" {
		errs = append(errs, os.RemoveAll(b.dir))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("cannot clean up the bench: %w", err)
	}
	return nil
}
