package interop_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

// TestTypeScriptSDK runs an agent made with the SDK through everything, and looks then at all that went over the wire.
func TestTypeScriptSDK(t *testing.T) {
	sdk := sdkFolder(t)
	schema := readSchema(t, sdk)
	p := start(t, sdk)
	for _, row := range calls {
		if !t.Run(row.name, func(t *testing.T) { row.do(t, p) }) {
			t.Log(p.conn.StderrTail())
			require.NotNil(t, p.session, "nothing goes without a session")
		}
	}
	require.NoError(t, p.conn.Close(within(t)))
	assert.Empty(t, p.conn.StderrTail())
	assert.Empty(t, p.conn.Exit().Leftover)

	p.mu.Lock()
	defer p.mu.Unlock()
	methods, journal := readJournal(t, p.journal)
	wire := readWire(t, p.frames)
	t.Run("the SDK reads every frame", func(t *testing.T) { checkRead(t, wire, journal) })
	t.Run("every method goes over the wire", func(t *testing.T) { checkMethods(t, methods, wire) })
	t.Run("every member goes over the wire", func(t *testing.T) { checkMembers(t, schema, wire) })
	t.Run("this side understands every frame", func(t *testing.T) {
		for _, d := range p.diagnostics {
			unknown := d.Kind == acp.DiagnosticUnhandled && d.Text == "request _interop/unknown"
			takenBack := d.Kind == acp.DiagnosticProtocol && strings.HasSuffix(d.Text, "belongs to no call: Request cancelled")
			if !unknown && !takenBack {
				t.Errorf("%s: %s", d.Kind, d.Text)
			}
		}
	})
}
