// Package loopback keeps servers that are meant for one machine on it: it
// checks the addresses they listen on and the hosts they are asked for.
package loopback

import (
	"errors"
	"net"
	"net/netip"
)

// ErrNotLoopback says that an address is not one of the loopback interface.
var ErrNotLoopback = errors.New("not a loopback address")

// address checks an address to listen on, which is as in Bind, and completes it.
func address(addr string) (string, error) {
	if addr == "" {
		return "127.0.0.1:0", nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if host == "localhost" {
		// Not resolved: a hosts file could lead anywhere.
		return net.JoinHostPort("127.0.0.1", port), nil
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.Unmap().IsLoopback() {
		return "", ErrNotLoopback
	}
	return net.JoinHostPort(ip.Unmap().String(), port), nil
}

// Host reports whether a Host header, with or without a port, names the
// loopback interface. A page of another site that has its own name resolved to
// this machine sends that name.
func Host(header string) bool {
	host := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		host = h
	} else if n := len(header); n > 1 && header[0] == '[' && header[n-1] == ']' {
		host = header[1 : n-1]
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
