package reconcile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/harness/mcpfile"
	"github.com/acpharness/acpharness/parity/bench"
	"github.com/acpharness/acpharness/provider"
)

// The servers of a stage. base is in the file all the time; extra is the one that is edited; given is given to the session over ACP.
const (
	baseName  = "rcbase"
	extraName = "rcextra"
	givenName = "rcgiven"
)

// Marks among the arguments of extra, by which one entry of it is told from another.
const (
	firstMark  = "--first"
	secondMark = "--second"
)

// stage is a bench with an agent on it.
type stage struct {
	subject *Subject
	bench   *bench.Bench
	model   *model
	config  *mcpfile.Config
	dry     *mcpfile.Config // makes texts and writes nothing
	path    string          // of the file that is edited
	base    *bench.MCPServer
	extra   *bench.MCPServer
	given   *bench.MCPServer // nil unless one was
	agent   provider.Provider
	words   int

	mu      sync.Mutex
	notices []notice
	asked   int // requests for permission
}

// notice is what an agent has announced that is none of the protocol's.
type notice struct {
	at     time.Time
	method string
	server string
}

// newStage makes a bench with the servers base and extra, which are in no file yet.
func newStage(ctx context.Context, s *Subject) (*stage, error) {
	st := &stage{subject: s, model: newModel()}
	b, err := bench.Start(context.WithoutCancel(ctx), s.Recipe, &bench.Options{
		MCPServer: s.MCPServer, Reply: st.model.reply, Journal: st.model.began, Log: s.Connect.Client.Logger,
	})
	if err != nil {
		return nil, err
	}
	st.bench = b
	if err := st.prepare(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return st, nil
}

func (st *stage) prepare() (err error) {
	if st.base, err = st.bench.MCPServer(baseName); err != nil {
		return err
	}
	if st.extra, err = st.bench.MCPServer(extraName, firstMark); err != nil {
		return err
	}
	opts := mcpfile.Options{Home: st.bench.Home(), Env: st.bench.Env()}
	files := st.subject.Descriptor.MCPFiles
	if strings.Contains(files[0].Paths[0], "{agent}") {
		opts.Agent = "reconcile"
	}
	if st.config, err = mcpfile.Open(files, &opts); err != nil {
		return err
	}
	opts.DryRun = true
	if st.dry, err = mcpfile.Open(files, &opts); err != nil {
		return err
	}
	st.path = st.config.Files()[0].Path()
	if opts.Agent == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(st.path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(st.path, []byte("{\n  \"name\": \"reconcile\",\n  \"tools\": []\n}\n"), 0o600)
}

// close ends the agent, and then the bench.
func (st *stage) close(ctx context.Context) error {
	var errs []error
	if st.agent != nil {
		errs = append(errs, st.agent.Close(context.WithoutCancel(ctx)))
	}
	return errors.Join(append(errs, st.bench.Close())...)
}

// connect starts the agent. Whatever it asks for is allowed once, and counted.
func (st *stage) connect(ctx context.Context) error {
	connector, err := st.subject.Connector(st.bench)
	if err != nil {
		return err
	}
	opts := st.subject.Connect
	opts.EnvMode, opts.Dir, opts.KillDaemons = provider.EnvClean, st.bench.Workspace(), true
	opts.SetEnv = append(st.bench.Env(), opts.SetEnv...)
	opts.Client.Permission = acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		st.mu.Lock()
		st.asked++
		st.mu.Unlock()
		outcome, _ := req.Allow()
		return outcome, nil
	})
	opts.Client.Extension = &listener{st}
	st.agent, err = connector.Connect(ctx, &opts)
	return err
}

// listener notes what an agent announces about its servers.
type listener struct{ st *stage }

func (l *listener) HandleRequest(context.Context, *acp.ExtensionMessage) (any, error) {
	return nil, acp.ErrUnknownMethod
}

func (l *listener) HandleNotification(_ context.Context, m *acp.ExtensionMessage) {
	n := notice{at: time.Now(), method: m.Method}
	for _, name := range []string{baseName, extraName, givenName} {
		if strings.Contains(string(m.Params), `"`+name+`"`) {
			n.server = name
		}
	}
	if n.server == "" && !strings.Contains(m.Method, "mcp") {
		return
	}
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	l.st.notices = append(l.st.notices, n)
}

// noticed are what was announced after a moment, but for base.
func (st *stage) noticed(after time.Time) []string {
	st.mu.Lock()
	defer st.mu.Unlock()
	var list []string
	for _, n := range st.notices {
		if n.at.After(after) && n.server != baseName {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s after %s", n.method, n.server, seconds(n.at.Sub(after)))))
		}
	}
	return list
}

// open opens a session in the mode of the recipe, with the server given if there is one.
func (st *stage) open(ctx context.Context, inject bool) (*acp.Session, error) {
	opts := &acp.SessionOptions{NoUpdates: true}
	if inject && st.given != nil {
		if st.given.URL != "" {
			opts.MCPServers = []acp.MCPServer{&acp.MCPServerHTTP{Name: st.given.Name, URL: st.given.URL}}
		} else {
			opts.MCPServers = []acp.MCPServer{&acp.MCPServerStdio{Name: st.given.Name, Command: st.given.Command, Args: st.given.Args}}
		}
	}
	session, err := st.agent.Conn().NewSession(ctx, st.bench.Workspace(), opts)
	if err == nil && st.subject.Recipe.Mode != "" {
		err = session.SetMode(ctx, st.subject.Recipe.Mode)
	}
	return session, err
}

// entryOf is a server as an entry of a file.
func entryOf(s *bench.MCPServer) mcpfile.Entry {
	return mcpfile.Entry{Name: s.Name, Server: mcpfile.Server{Command: s.Command, Args: s.Args, URL: s.URL}}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
