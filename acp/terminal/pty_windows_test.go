package terminal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp/terminal"
)

func TestNoPTY(t *testing.T) {
	_, err := terminal.New(&terminal.Options{PTY: true}).CreateTerminal(t.Context(), request(t))
	require.ErrorIs(t, err, terminal.ErrNoPTY)
}
