package provider

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/internal/proc"
)

// BackendConnector starts the agent that a descriptor describes.
type BackendConnector struct {
	descriptor backends.Descriptor
	opts       BackendOptions
}

// BackendOptions configure a [BackendConnector].
type BackendOptions struct {
	// Command replaces the descriptor's command line: an argument vector, no shell line. The rest of the descriptor
	// (environment, protocol version) stays.
	Command []string
	// Self is the command line that runs the built-in agent, such as "/usr/bin/acpctl", "mock", "agent". It must be set
	// for the built-in agent, unless Command is; a program that embeds this module gets that agent from acp/acptest.
	Self []string
}

// NewBackend returns the connector for a descriptor. A nil opts is the zero value.
func NewBackend(d backends.Descriptor, opts *BackendOptions) *BackendConnector {
	c := &BackendConnector{descriptor: d}
	if opts != nil {
		c.opts = *opts
	}
	return c
}

// NewCommand returns a connector for a command line without a descriptor; its id is the command's base name.
func NewCommand(command []string) *BackendConnector {
	id := "command"
	if len(command) > 0 {
		id = filepath.Base(command[0])
	}
	return NewBackend(backends.Descriptor{ID: id, Name: id}, &BackendOptions{Command: command})
}

// ID implements Connector.
func (c *BackendConnector) ID() string { return c.descriptor.ID }

// Descriptor returns what the connector was made from.
func (c *BackendConnector) Descriptor() backends.Descriptor { return c.descriptor }

// Connect implements Connector.
func (c *BackendConnector) Connect(ctx context.Context, opts *ConnectOptions) (Provider, error) {
	if opts == nil {
		opts = &ConnectOptions{}
	}
	launch := c.launchEnv(opts)
	if err := launch.check(); err != nil {
		return nil, &acp.StartError{Phase: acp.PhaseResolve, Err: err}
	}
	env := launch.entries()
	command, err := c.resolve(launch, env)
	if err != nil {
		return nil, &acp.StartError{Phase: acp.PhaseResolve, Err: err}
	}
	if tell := opts.Client.Progress; tell != nil {
		tell(acp.Progress{Phase: acp.PhaseResolve, Done: true})
	}
	if opts.Started != nil {
		opts.Started(command)
	}
	client := opts.Client
	if client.ProtocolVersion == "" {
		client.ProtocolVersion = c.descriptor.ProtocolVersion
	}
	client.CumulativeUsage = client.CumulativeUsage || c.descriptor.CumulativeUsage
	client.Corrections = append(corrections(c.descriptor), client.Corrections...)
	conn, err := acp.NewClient(opts.ClientInfo, &client).Connect(ctx, &acp.CommandTransport{
		Command: command[0], Args: command[1:], Env: env, Dir: opts.Dir, Stop: opts.Stop,
		StateDir: opts.StateDir, Label: c.descriptor.ID, Logger: opts.Client.Logger,
		Daemons: c.descriptor.Daemons, KillDaemons: opts.KillDaemons,
	})
	if err != nil {
		return nil, err
	}
	return connected{conn, CapabilitiesOf(c.descriptor, conn.Agent())}, nil
}

// corrections are the overrides of a descriptor that are about capabilities.
func corrections(d backends.Descriptor) []acp.Correction {
	var list []acp.Correction
	for _, o := range d.Overrides {
		if o.Capability != backends.OverrideProtocolVersion {
			list = append(list, acp.Correction{Capability: o.Capability, Works: o.Works, Reason: o.Evidence})
		}
	}
	return list
}

// Resolve returns the command line with its executable found, without starting anything. env is as in ConnectOptions.
func (c *BackendConnector) Resolve(env []string) ([]string, error) {
	launch := c.launchEnv(&ConnectOptions{Env: env})
	return c.resolve(launch, launch.entries())
}

// resolve searches where a process with this environment would. Where npm puts executables may be said by a name that the
// mode holds back from the agent: how much it sees does not decide which one is started.
func (c *BackendConnector) resolve(launch launchEnv, env []string) ([]string, error) {
	argv := c.opts.Command
	switch {
	case len(argv) > 0:
	case c.descriptor.Builtin:
		if argv = c.opts.Self; len(argv) == 0 {
			return nil, errors.New("cannot start the built-in agent: it is part of acpctl; embedders get it from acp/acptest")
		}
	default:
		argv = c.descriptor.Launch.Argv()
	}
	if len(argv) == 0 {
		return nil, errors.New("cannot start an agent: no command was given")
	}
	home, _ := os.UserHomeDir() // the caller's: an isolated home holds no executables
	path, searched, err := proc.LookPath(argv[0], value(env, "PATH"), LocalPlaces(home, launch.known(env)))
	if err != nil {
		return nil, &NotFoundError{Command: argv[0], Searched: searched, Install: c.descriptor.Install.Hint, Err: err}
	}
	return append([]string{path}, argv[1:]...), nil
}

// NotFoundError says that an agent's executable is in none of the places where it could be.
type NotFoundError struct {
	Command  string   // what was looked for
	Searched []string // directories, in order
	Install  string   // the command that installs it, empty if unknown
	Err      error    // wraps exec.ErrNotFound, or says what is wrong with what was found
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	b.WriteString(e.Err.Error())
	if len(e.Searched) > 0 {
		b.WriteString("; searched " + strings.Join(e.Searched, ", "))
	}
	if e.Install != "" {
		b.WriteString("; install it with: " + e.Install)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *NotFoundError) Unwrap() error { return e.Err }
