package fakemcp

import (
	"errors"
	"log/slog"
	"os"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options configure a server. The zero value is one without a journal.
type Options struct {
	// Label is the name of the server, in the journal and in its answers.
	// Default: "fake".
	Label string
	// Journal is the file that entries are appended to; "" is none. It is made
	// for its owner only.
	Journal string
	// Tools is the tools file; "" means the tools alpha and beta. It must be
	// good at the start. Later on the last good content counts.
	Tools string
	// Args are journaled and mean nothing else.
	Args []string
	// Signals end the server and are journaled first. It must not be closed.
	Signals <-chan os.Signal
	// Log gets what is no business of the journal. Default: it is dropped.
	Log *slog.Logger
}

// server is what Serve and Listen have in common.
type server struct {
	signals <-chan os.Signal
	log     *slog.Logger
	journal *journal
	tools   *toolbox
	mcp     *mcp.Server

	hurry  sync.Once
	ending chan struct{} // closed when delayed answers are to be given at once
}

// begin starts a server and journals that. Its owner calls end.
func begin(opts *Options, transport string) (*server, error) {
	if opts == nil {
		opts = &Options{}
	}
	s := &server{signals: opts.Signals, log: opts.Log, ending: make(chan struct{})}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	label := opts.Label
	if label == "" {
		label = "fake"
	}
	var err error
	if s.journal, err = openJournal(opts.Journal, Entry{Label: label, Transport: transport}, s.log); err != nil {
		return nil, err
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: label, Version: "1.0.0"}, &mcp.ServerOptions{
		Logger:       s.log,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	s.tools = &toolbox{path: opts.Tools, label: label, journal: s.journal, server: s.mcp, ending: s.ending}
	s.mcp.AddReceivingMiddleware(s.tools.latestInstructions)
	if err := s.tools.load(); err != nil {
		s.journal.add(about(opts.Args, nil))
		s.journal.fail(err)
		return nil, s.end(err)
	}
	s.journal.add(about(opts.Args, s.tools.now().names()))
	s.tools.start()
	return s, nil
}

// end stops what begin started, journals the end with its reason and returns
// the reason, together with what else went wrong.
func (s *server) end(reason error) error {
	s.tools.stop()
	for more := true; more; {
		select {
		case sig := <-s.signals:
			s.signalled(sig)
		default:
			more = false
		}
	}
	last := Entry{Event: EventExit}
	if reason != nil {
		last.Error = reason.Error()
	}
	s.journal.add(last)
	return errors.Join(reason, s.journal.close())
}

// finish makes delayed answers come at once.
func (s *server) finish() { s.hurry.Do(func() { close(s.ending) }) }

func (s *server) signalled(sig os.Signal) {
	s.journal.add(Entry{Event: EventSignal, Signal: signalName(sig)})
}

// signalName is the usual name; some systems print another.
func signalName(sig os.Signal) string {
	switch sig {
	case syscall.SIGTERM:
		return "SIGTERM"
	case os.Interrupt:
		return "SIGINT"
	case syscall.SIGHUP:
		return "SIGHUP"
	default:
		return sig.String()
	}
}
