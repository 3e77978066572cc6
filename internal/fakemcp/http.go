package fakemcp

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/acpharness/acpharness/internal/loopback"
)

// handler serves the endpoint. Whatever else is asked for is journaled too: it
// is how a client looks for a way to sign in, for example.
func (s *sessions) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+endpoint, s.post)
	mux.HandleFunc("GET "+endpoint, s.get)
	mux.HandleFunc("DELETE "+endpoint, s.delete)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == endpoint {
			s.fail(w, r, http.StatusMethodNotAllowed, "")
		} else {
			s.fail(w, r, http.StatusNotFound, "")
		}
	})
	// Pages of other sites run on this machine too.
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, http.StatusForbidden, "the request comes from a page of another site")
	}))
	guarded := origins.Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback.Host(r.Host) {
			s.fail(w, r, http.StatusForbidden, "the host is not this machine")
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

// fail refuses a request that carries no message. The query stays out of the
// journal: it may carry a key.
func (s *sessions) fail(w http.ResponseWriter, r *http.Request, status int, reason string) {
	if reason == "" {
		reason = http.StatusText(status)
	}
	s.refused(r, reason)
	http.Error(w, reason, status)
}

func (s *sessions) refused(r *http.Request, reason string) {
	s.server.journal.add(Entry{
		Event: EventError, Session: r.Header.Get(sessionHeader),
		Error: fmt.Sprintf("cannot serve %s %s: %s", r.Method, r.URL.Path, reason),
	})
}

// post takes one message.
func (s *sessions) post(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		s.fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	m, bad := parse(body)
	if bad != nil {
		s.server.journal.add(Entry{Event: EventError, Session: id, Error: bad.err.Error()})
		s.answer(w, http.StatusBadRequest, bad.answer)
		return
	}
	current := s.find(id)
	if id == "" && m.known() && m.entry.Method == methodInitialize {
		if current, err = s.open(r.Context()); err != nil {
			s.fail(w, r, http.StatusServiceUnavailable, err.Error())
			return
		}
		id = current.transport.SessionID
		defer func() {
			if current.mcp.InitializeParams() == nil { // it did not come about
				s.remove(id)
				_ = current.mcp.Close()
			}
		}()
	}
	m.entry.Session = id
	s.server.journal.add(m.entry)
	switch {
	case !m.known():
		s.answer(w, http.StatusOK, m.refusal())
	case current == nil:
		s.refuseStranger(w, id, m)
	default:
		r.Body = io.NopCloser(bytes.NewReader(body))
		current.transport.ServeHTTP(w, r)
	}
}

// refuseStranger answers a message without a session. By the status the client
// sees whether it is to initialize again.
func (s *sessions) refuseStranger(w http.ResponseWriter, id string, m *message) {
	var request jsonrpc.ID
	if r, ok := m.request(); ok {
		request = r.ID
	}
	if id == "" {
		s.answer(w, http.StatusBadRequest, refuse(request, jsonrpc.CodeInvalidRequest, "a session begins with initialize"))
		return
	}
	s.answer(w, http.StatusNotFound, refuse(request, jsonrpc.CodeInvalidRequest, "there is no such session"))
}

// answer writes an answer that the library has no part in; nil is none.
func (s *sessions) answer(w http.ResponseWriter, status int, answer *jsonrpc.Response) {
	if answer == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	text, err := jsonrpc.EncodeMessage(answer)
	if err != nil {
		s.server.log.Error("cannot encode an answer", "error", err)
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// get opens the stream for what is no answer.
func (s *sessions) get(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	current := s.find(id)
	if current == nil {
		s.fail(w, r, http.StatusNotFound, "there is no such session")
		return
	}
	current.transport.ServeHTTP(&stream{ResponseWriter: w, begun: func(status int) {
		if status == http.StatusOK {
			s.server.journal.add(Entry{Event: EventStream, Session: id})
		} else {
			s.refused(r, http.StatusText(status))
		}
	}}, r)
}

// stream is the writer of such a stream. The library holds the lock of the
// stream while it writes the header, so that a change that is made after the
// entry in the journal is sent.
type stream struct {
	http.ResponseWriter

	begun func(status int)
}

// WriteHeader tells of the header.
func (w *stream) WriteHeader(status int) {
	w.begun(status)
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the library flush.
func (w *stream) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// delete ends a session. A client that waits for the answer before it exits
// does not wait for what it has asked before.
func (s *sessions) delete(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	ended := s.remove(id)
	if ended == nil {
		s.fail(w, r, http.StatusNotFound, "there is no such session")
		return
	}
	s.server.journal.add(Entry{Event: EventEOF, Session: id})
	w.WriteHeader(http.StatusNoContent)
	_ = http.NewResponseController(w).Flush()
	_ = ended.mcp.Close()
}
