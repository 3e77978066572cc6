package live

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/parity"
)

// parityTime is for all checks of one agent.
const parityTime = 10 * time.Minute

// TestParity compares what is declared of each agent, and what it advertises, with what it does, by the command that a person would use.
// What is not in order is in baseline.json with a reason, or fails.
func TestParity(t *testing.T) {
	for _, pin := range agents(t) {
		t.Run(pin.id, func(t *testing.T) {
			if !pin.installed(folder(t)) {
				t.Skipf("not installed: bash test/live/install.sh %s", pin.id)
			}
			ctx, cancel := context.WithTimeout(t.Context(), parityTime)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Getenv(acpctlEnv), "parity", "--live", "--json", "--baseline", "../../parity/baseline.json", pin.id)
			cmd.Env = append(os.Environ(), "PATH="+pin.searchPath(folder(t)))
			var errs bytes.Buffer
			cmd.Stderr = &errs
			cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its agents
			out, _ := cmd.Output()                                                // what failed is in the report
			report, err := parity.ReadReport(bytes.NewReader(out))
			require.NoError(t, err, "%s", errs.String())
			require.NotEmpty(t, report.Agents, "%s", errs.String())
			for _, c := range report.Results {
				t.Logf("%s: declared %q, observed %q: %s %s", c.Key(), c.Declared, c.Observed, c.Result, c.Reason)
			}
			for _, c := range report.Failures() {
				t.Errorf("%s: declared %q, observed %q: %s", c.Key(), c.Declared, c.Observed, c.Reason)
			}
			t.Logf("%s", report.Summary())
		})
	}
}
