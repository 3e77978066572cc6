package live

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/reconcile"
)

// reconcileTime is for all cells of one agent.
const reconcileTime = 15 * time.Minute

// TestReconcile edits the agents' MCP configuration under a live session, by the command that a person would use, and compares the verdicts
// with the evidence that is committed. Two edits are enough to find out that an agent has begun to follow, or has stopped.
func TestReconcile(t *testing.T) {
	cells := "add,disable,enable,remove,tool-filter,change-transport,add/injected"
	if testing.Short() {
		cells = "add,disable"
	}
	for _, pin := range withMCPFiles(t) {
		t.Run(pin.id, func(t *testing.T) {
			t.Parallel()
			if !pin.installed(folder(t)) {
				t.Skipf("not installed: bash test/live/install.sh %s", pin.id)
			}
			ctx, cancel := context.WithTimeout(t.Context(), reconcileTime)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Getenv(acpctlEnv), "probe", "--reconcile", "--json", "--cells", cells, pin.id)
			cmd.Env = append(os.Environ(), "PATH="+pin.searchPath(folder(t)))
			var errs bytes.Buffer
			cmd.Stderr = &errs
			cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its agents
			out, err := cmd.Output()
			require.NoError(t, err, "%s", errs.String())
			var found struct{ Reports []reconcile.Report }
			require.NoError(t, json.Unmarshal(out, &found), "%s", errs.String())
			require.Len(t, found.Reports, 1)
			report := found.Reports[0]
			d, err := backends.Lookup(pin.id)
			require.NoError(t, err)
			own := d.Evidence()
			require.NotEmpty(t, own)
			newest := own[len(own)-1]
			assert.Equal(t, newest.Version, report.Version, "make evidence of it: docs/reconcile.md")
			for i := range report.Results {
				res := &report.Results[i]
				t.Logf("%s: %s: %s", res.Key, res.Verdict, res.Why)
				if want, ok := newest.Edits[res.Edit]; ok && res.Key == string(res.Edit) {
					assert.Equal(t, want.Verdict, res.Verdict, "%s: %s", res.Key, res.Why)
				}
			}
		})
	}
}
