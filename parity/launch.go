package parity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// launch is what was seen when a backend was started as its descriptor says, with the scripted agent in the place of the real one. It
// introduced itself under the backend's first name, with a version of which there is the most to hope for.
type launch struct {
	args     []string
	env      map[string]bool // names
	protocol string          // the literal that initialize carried
	agent    acp.Implementation

	hotReload bool // what the provider declared
	same      bool // its capabilities said the same
	after     bool // what it declared when the process had gone
	inherited []string
	hidden    []string
}

// hopefulVersion is announced where there is no evidence: if anything were granted by a version alone, it would be by this one.
const hopefulVersion = "99.0.0"

// captureAll starts all that have a command. Without an agent to play them it says why there are no launches.
func captureAll(ctx context.Context, all []backends.Descriptor, opts *MatrixOptions) (map[string]launch, string, error) {
	switch {
	case len(opts.Agent) == 0:
		return nil, "no agent was given to play the backends", nil
	case runtime.GOOS == "windows":
		return nil, "the stand-in for a command is a shell script", nil
	}
	launches := map[string]launch{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, d := range all {
		group.Go(func() error {
			seen, err := capture(ctx, d, opts)
			if err != nil {
				return fmt.Errorf("cannot capture the launch of %s: %w", d.ID, err)
			}
			mu.Lock()
			launches[d.ID] = seen
			mu.Unlock()
			return nil
		})
	}
	return launches, "", group.Wait()
}

// capture starts one backend from a folder in which its command is a script that writes down how it was started.
func capture(ctx context.Context, d backends.Descriptor, opts *MatrixOptions) (seen launch, err error) {
	dir, err := os.MkdirTemp("", "acpharness-parity-")
	if err != nil {
		return launch{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	seen.agent = acp.Implementation{Name: "nobody", Version: hopefulVersion}
	if len(d.AgentNames) > 0 {
		seen.agent.Name = d.AgentNames[0]
	}
	if floor := d.ReloadFloor(); floor.Known() {
		seen.agent.Version = floor.String()
	}
	command := d.Launch.Command
	if d.Builtin {
		command = "builtin"
	}
	if err := standIn(dir, command, seen.agent, opts); err != nil {
		return launch{}, err
	}
	env := []string{"PATH=" + dir, "HOME=" + dir}
	for _, name := range d.Env.Scrub {
		env = append(env, name+"=1")
	}
	var mu sync.Mutex
	var first json.RawMessage
	connector := provider.NewBackend(d, &provider.BackendOptions{Self: []string{filepath.Join(dir, "builtin")}})
	p, err := connector.Connect(ctx, &provider.ConnectOptions{
		Env: env, Dir: dir, Stop: acp.StopGrace{StdinClose: 10 * time.Second},
		Client: acp.ClientOptions{Tap: func(f acp.TapFrame) {
			mu.Lock()
			defer mu.Unlock()
			if f.Dir == acp.ToAgent && first == nil {
				first = append(json.RawMessage{}, f.Data...)
			}
		}},
	})
	if err != nil {
		return launch{}, err
	}
	seen.hotReload = p.McpConfigHotReload()
	seen.same = p.Capabilities().McpConfigHotReload() == seen.hotReload
	seen.inherited, seen.hidden = inherits(p)
	if err := p.Close(ctx); err != nil {
		return launch{}, err
	}
	seen.after = p.McpConfigHotReload() || p.Capabilities().McpConfigHotReload()
	mu.Lock()
	defer mu.Unlock()
	return seen, seen.read(dir, first)
}

// standIn writes the script that stands in for a command, and what the agent behind it is to say.
func standIn(dir, command string, agent acp.Implementation, opts *MatrixOptions) error {
	script, err := json.Marshal(map[string]any{"agentInfo": agent, "protocolVersion": 1})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "script.json")
	var b strings.Builder
	b.WriteString("#!/bin/sh\nprintf '%s\\n' \"$@\" > " + quote(filepath.Join(dir, "args")) + "\nexport -p > " + quote(filepath.Join(dir, "env")) + "\n")
	for _, entry := range opts.Env {
		name, value, _ := strings.Cut(entry, "=")
		b.WriteString("export " + name + "=" + quote(value) + "\n")
	}
	b.WriteString("exec")
	for _, arg := range append(append([]string{}, opts.Agent...), file) {
		b.WriteString(" " + quote(arg))
	}
	b.WriteByte('\n')
	// A process that is started in the meantime would have the file open for writing, and nobody could run it (golang/go#22315).
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return errors.Join(os.WriteFile(file, script, 0o600), os.WriteFile(filepath.Join(dir, command), []byte(b.String()), 0o700)) //nolint:gosec // it is started
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// read takes what the stand-in has written down.
func (l *launch) read(dir string, initialize json.RawMessage) error {
	args, err := os.ReadFile(filepath.Join(dir, "args"))
	if err != nil {
		return err
	}
	if text := strings.TrimSuffix(string(args), "\n"); text != "" {
		l.args = strings.Split(text, "\n")
	}
	env, err := os.ReadFile(filepath.Join(dir, "env"))
	if err != nil {
		return err
	}
	l.env = map[string]bool{}
	for line := range strings.Lines(string(env)) {
		_, entry, _ := strings.Cut(line, " ") // "export NAME=…", or "declare -x NAME=…"
		entry = strings.TrimPrefix(entry, "-x ")
		name, _, _ := strings.Cut(strings.TrimSpace(entry), "=")
		l.env[name] = true
	}
	var frame struct {
		Params struct {
			ProtocolVersion json.RawMessage `json:"protocolVersion"`
		} `json:"params"`
	}
	if err := json.Unmarshal(initialize, &frame); err != nil {
		return err
	}
	l.protocol = string(frame.Params.ProtocolVersion)
	return nil
}
