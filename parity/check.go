package parity

import (
	"cmp"
	"context"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// Subject is an agent that [Check] drives. What it leaves nil is not compared.
type Subject struct {
	// Name is what the cells of the report are about.
	Name string
	// Connector starts the agent, many times. It must pass on what ConnectOptions say of the client.
	Connector provider.Connector
	// Descriptor is what is declared of the subject. Without it only what the agent advertises is compared, and what the provider itself
	// declares.
	Descriptor *backends.Descriptor
	// Connect says how to start the agent: its environment above all. A Dir that is empty becomes that of the subject.
	Connect provider.ConnectOptions
	// Dir is the folder of the sessions, absolute. Checks write files into it.
	Dir string
	// Mode is the session mode in which the agent asks before it acts, where nothing is declared of that. Empty leaves the agent's own.
	Mode string
	// Say is a prompt that is answered with a text.
	Say []acp.ContentBlock
	// Shell returns a prompt by which the agent runs a shell command, and for which it asks first if it ever does.
	Shell func(command string) ([]acp.ContentBlock, error)
	// StdioServer and HTTPServer return an MCP server to give to a session, another one with every call, and a function that reports
	// whether the agent has used it.
	StdioServer, HTTPServer ServerFunc
}

// ServerFunc makes up an MCP server.
type ServerFunc func() (server acp.MCPServer, started func() (bool, error), err error)

// Options configure [Check]. The zero value works.
type Options struct {
	// Timeout bounds each check, 60 s by default. Stopping its processes comes on top of it.
	Timeout time.Duration
	// Settle is how long an agent may take to use an MCP server that it was given, 15 s by default.
	Settle time.Duration
	// StdinGrace is how long an idle agent may take to end by itself once its input is closed, 10 s by default.
	StdinGrace time.Duration
	// Progress is told which check is about to run, from the calling goroutine. May be nil.
	Progress func(check string)
}

// CheckInfo is a check of a running agent.
type CheckInfo struct {
	ID    string // such as "refusal", or the name of what is declared
	Title string // a sentence
	run   func(context.Context, *trial)
}

// Checks returns the checks of [Check], in their order.
func Checks() []CheckInfo {
	return []CheckInfo{
		{"identity", "It introduces itself under a name that is declared, with a version.", checkIntroduction},
		{"interface", "Its provider gives one answer, and the default hides none.", checkAnswers},
		{"protocol", "It answers with a protocol version, and not with whatever it was asked for.", checkVersion},
		{"session", "It opens a session, or says that it wants an account.", checkSession},
		{"refusal", "What it does not do is refused without asking it.", checkRefusal},
		{"advertised", "It does what it advertises, and an override says what it does instead.", checkAdvertised},
		{string(backends.TrustSharesProcess), "Several sessions live in one process.", checkSharing},
		{string(backends.TrustParallelStarts), "Sessions may be opened side by side.", checkParallel},
		{string(backends.TrustTakesServers), "It uses the MCP servers that a session is given.", checkServers},
		{string(backends.TrustAsksPermission), "It asks before it acts, and does not do what was rejected.", checkAsking},
		{string(backends.TrustStopsOnStdinClose), "It ends by itself when its input is closed.", checkStop},
		{"death", "A process that has ended declares nothing.", checkDeath},
		{"edits", "It follows edits of its MCP configuration as declared.", checkEdits},
	}
}

const (
	defaultTimeout    = 60 * time.Second
	defaultSettle     = 15 * time.Second
	defaultStdinGrace = 10 * time.Second
)

// Check starts the subject again and again, and compares what is declared of it and what it advertises with what it does. It returns when
// every process has ended; a subject that cannot be started makes a report that says so. What has not been compared when ctx ends is
// skipped.
func Check(ctx context.Context, s Subject, opts *Options) *Report {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Timeout = cmp.Or(max(o.Timeout, 0), defaultTimeout)
	o.Settle = cmp.Or(max(o.Settle, 0), defaultSettle)
	o.StdinGrace = cmp.Or(max(o.StdinGrace, 0), defaultStdinGrace)
	s.Connect.Dir = cmp.Or(s.Connect.Dir, s.Dir)

	first := &trial{check: Checks()[0].ID, subject: s, opts: o}
	o.progress("start")
	seen := first.introduction(ctx)
	if seen == nil {
		return NewReport(nil, first.cells)
	}
	var cells []Cell
	for _, each := range Checks() {
		t := &trial{check: each.ID, subject: s, opts: o, seen: seen}
		o.progress(each.ID)
		t.run(ctx, each)
		cells = append(cells, t.cells...)
	}
	return NewReport([]Agent{{s.Name, seen.agent.Name, seen.agent.Version}}, cells)
}

func (o *Options) progress(check string) {
	if o.Progress != nil {
		o.Progress(check)
	}
}
