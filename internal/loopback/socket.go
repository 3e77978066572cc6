package loopback

import (
	"context"
	"fmt"
	"net"
)

// Socket is an address that is taken and not served yet: who connects waits.
type Socket struct{ ln net.Listener }

// Bind takes an address. addr is "" for a free port of 127.0.0.1, or the host
// and port of a loopback address, "localhost" meaning 127.0.0.1; every other
// host, and none, is refused with ErrNotLoopback. ctx bounds this call only.
// The owner calls Close or Serve.
func Bind(ctx context.Context, addr string) (*Socket, error) {
	local, err := address(addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", addr, err)
	}
	var config net.ListenConfig
	ln, err := config.Listen(ctx, "tcp", local)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", addr, err)
	}
	return &Socket{ln: ln}, nil
}

// Close gives the address back.
func (b *Socket) Close() error { return b.ln.Close() }
