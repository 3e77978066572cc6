package fakemodel

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Options configure a server. The zero value, and nil, mean all defaults.
type Options struct {
	// Reply decides what the model says, DefaultReply if nil. It is called
	// from many goroutines at once and must not block.
	Reply func(Request) Reply
	// Journal is told about every request, if not nil, from many goroutines
	// at once and before the answer goes out. It must not block.
	Journal func(Call)
	// Models are the ids on offer, "fake-model" alone if empty.
	Models []string
	// Log is where Listen reports what net/http complains of, such as a panic
	// in Reply; nil discards it.
	Log *slog.Logger
}

// Server is the fake model as an http.Handler. It starts no goroutine.
type Server struct {
	reply   func(Request) Reply
	models  []string
	journal *journal
	log     *slog.Logger
	ids     atomic.Int64
	limit   int64

	done  chan struct{} // closed by Close
	close sync.Once
}

// New returns a server; opts may be nil.
func New(opts *Options) *Server {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Reply == nil {
		o.Reply = DefaultReply
	}
	if len(o.Models) == 0 {
		o.Models = []string{"fake-model"}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{
		log:     o.Log,
		reply:   o.Reply,
		models:  slices.Clone(o.Models),
		journal: &journal{listener: o.Journal},
		limit:   bodyLimit,
		done:    make(chan struct{}),
	}
}

// Close ends the replies that hang, are slow or endless, now and later. It does not wait
// for them. It may be called more than once.
func (s *Server) Close() { s.close.Do(func() { close(s.done) }) }

// Calls returns a copy of the journal, oldest first. It keeps the newest
// 10,000 entries at most; Call.Seq shows whether some are gone.
func (s *Server) Calls() []Call { return s.journal.snapshot() }

// dialect writes replies in the shape of one API. One is made per request.
type dialect interface {
	// whole answers with one document; text is the whole text of the reply.
	whole(w http.ResponseWriter, r Reply, text string)
	// stream answers with events, taking the text of the reply from pieces.
	// It stops at the first error and returns it.
	stream(e *events, r Reply, pieces iter.Seq2[string, error]) error
}

// api is one API: a file of this package makes one.
type api struct {
	name string
	// decode reads a body into a request and the dialect that answers it.
	decode func(s *Server, body []byte) (Request, dialect, error)
	// fail answers with an error document.
	fail func(w http.ResponseWriter, status int, message string)
}

// answer is the way of every model request: read, decode, decide, enter into
// the journal, reply.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, a api) {
	req, d, err := s.read(w, r, a)
	if err != nil {
		return
	}
	reply := s.reply(req).normal()

	entry := call(r, a.name, http.StatusOK).about(req)
	entry.Kind = reply.Kind
	switch {
	case reply.Kind == KindError:
		entry.Status = reply.Status
	case reply.hangs(req.Stream):
		entry.Status = 0
	}
	s.journal.add(entry)
	if reply.Kind == KindError {
		message := reply.Text
		if message == "" {
			message = fmt.Sprintf("fake error %d", reply.Status)
		}
		a.fail(w, reply.Status, message)
		return
	}
	s.send(r.Context(), w, req.Stream, d, reply)
}

// read reads and decodes a request. If it returns an error, it has refused the
// request and entered that into the journal.
func (s *Server) read(w http.ResponseWriter, r *http.Request, a api) (Request, dialect, error) {
	body, err := readBody(w, r, s.limit)
	var req Request
	var d dialect
	if err == nil {
		req, d, err = a.decode(s, body)
	}
	if err != nil {
		status := http.StatusBadRequest
		if refusal, ok := errors.AsType[*statusError](err); ok {
			status = refusal.status
		}
		entry := call(r, a.name, status)
		entry.Kind = KindError
		s.journal.add(entry)
		a.fail(w, status, err.Error())
		return Request{}, nil, err
	}
	req.API, req.UserAgent = a.name, r.UserAgent()
	return req, d, nil
}

// send writes a reply that is no error. ctx ends when the client goes away.
func (s *Server) send(ctx context.Context, w http.ResponseWriter, stream bool, d dialect, reply Reply) {
	var err error
	switch {
	case reply.hangs(stream):
		err = s.pause(ctx, -1)
	case stream:
		err = d.stream(startEvents(w), reply, s.pieces(ctx, reply))
	default:
		var text strings.Builder
		for piece, failed := range s.pieces(ctx, reply) {
			if failed != nil {
				err = failed
				break
			}
			text.WriteString(piece)
		}
		if err == nil {
			d.whole(w, reply, text.String())
		}
	}
	if err != nil {
		// Break the connection: a plain return would end the answer in good
		// order, and a client could take half of it for all of it.
		panic(http.ErrAbortHandler)
	}
}

// nextID returns prefix and a number that is unique in this server.
func (s *Server) nextID(prefix string) string {
	return fmt.Sprintf("%s%d", prefix, s.ids.Add(1))
}
