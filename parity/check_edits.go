package parity

import (
	"context"

	"github.com/acpharness/acpharness/backends"
)

// checkEdits names what only an edit of the agent's MCP configuration can show.
func checkEdits(_ context.Context, t *trial) {
	for _, key := range []backends.TrustKey{
		backends.TrustHotReload, backends.TrustReadsConfig, backends.TrustIsolatesMCP, backends.TrustFollowsListChanged,
	} {
		t.skip(string(key), "it takes experiments with edits of its configuration and with its servers, which are made elsewhere")
	}
}
