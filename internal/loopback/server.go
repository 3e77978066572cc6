package loopback

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server serves HTTP on a loopback address. It runs one goroutine that accepts
// connections and, through net/http, one per connection. Break stops and Join
// joins them all.
type Server struct {
	http   *http.Server
	url    string
	served chan error     // the result of the accepting goroutine
	conns  sync.WaitGroup // connections from accept to close
}

// Listen binds addr, as Bind does, and serves on it, as Socket.Serve does.
func Listen(ctx context.Context, addr string, handler http.Handler, log *slog.Logger) (*Server, error) {
	socket, err := Bind(ctx, addr)
	if err != nil {
		return nil, err
	}
	return socket.Serve(handler, log), nil
}

// Serve begins to serve; the Server closes the Socket. What net/http complains
// of goes to log.
func (b *Socket) Serve(handler http.Handler, log *slog.Logger) *Server {
	s := &Server{url: "http://" + b.ln.Addr().String(), served: make(chan error, 1)}
	s.http = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ConnState:         s.track,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	go func() { s.served <- s.http.Serve(b.ln) }()
	return s
}

// track counts connections. The first call for a connection comes from the
// accepting goroutine, so that no connection is added after that has ended.
func (s *Server) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	case http.StateActive, http.StateIdle:
	}
}

// URL is the root of the server, such as "http://127.0.0.1:4711", without a
// slash at the end.
func (s *Server) URL() string { return s.url }

// Break stops accepting and breaks all connections, which ends the context of
// every request. It must be called once, and Join after it.
func (s *Server) Break() error {
	err := s.http.Close()
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// Join returns when nothing of the server runs any more. Whatever holds up a
// handler must have been ended.
func (s *Server) Join() error {
	// Again, for a connection that was being accepted the first time.
	err := s.http.Close()
	s.conns.Wait()
	return err
}
