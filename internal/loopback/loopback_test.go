package loopback_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/internal/loopback"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ addr, want string }{
		{"", "127.0.0.1:0"},
		{"localhost:80", "127.0.0.1:80"},
		{"127.0.0.1:4711", "127.0.0.1:4711"},
		{"127.8.9.1:0", "127.8.9.1:0"},
		{"[::1]:4711", "[::1]:4711"},
		{"[::ffff:127.0.0.1]:1", "127.0.0.1:1"},
	} {
		got, err := loopback.Address(tc.addr)
		assert.NoError(t, err, tc.addr)
		assert.Equal(t, tc.want, got, tc.addr)
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:80", "example.org:80", "LOCALHOST.example:1"} {
		_, err := loopback.Address(addr)
		assert.ErrorIs(t, err, loopback.ErrNotLoopback, addr)
	}
	for _, addr := range []string{"localhost", "127.0.0.1", "nonsense", "[::1]"} {
		_, err := loopback.Address(addr)
		assert.Error(t, err, addr)
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"localhost": true, "localhost:80": true, "127.0.0.1": true, "127.0.0.1:4711": true, "127.1.2.3": true,
		"[::1]": true, "[::1]:80": true, "::1": true, "[::ffff:127.0.0.1]:80": true,
		"": false, "example.org": false, "example.org:80": false, "localhost.example.org": false,
		"192.0.2.1:80": false, "0.0.0.0:80": false, "[::]": false, "[": false, "[]": false,
	} {
		assert.Equal(t, want, loopback.Host(header), header)
	}
}
