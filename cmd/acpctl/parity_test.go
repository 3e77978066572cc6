package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity"
)

func TestParityOnATerminal(t *testing.T) {
	t.Parallel()
	before := parity.NewReport(nil, []parity.Cell{{Backend: "kiro", Check: "P4", Subject: "literal", Result: parity.Pass}})
	report := parity.NewReport(nil, []parity.Cell{
		{Backend: "kiro", Check: "session", Subject: "list", Declared: "yes", Observed: "no", Result: parity.ExpectedFailure, Reason: "known"},
		{Backend: "kiro", Check: "P3", Subject: "mcp-config-hot-reload", Declared: "yes", Observed: "yes", Result: parity.Pass},
		{Backend: "kiro", Check: "session", Subject: "load", Declared: "unknown", Observed: "\x1b[2Jyes", Result: parity.Undeclared, Reason: "not\ndeclared"},
		{Backend: "kiro", Check: "P4", Subject: "literal", Declared: "1", Observed: "2", Result: parity.Fail, Reason: "another"},
	})
	var out, errs bytes.Buffer
	a := &app{streams: &ui.Streams{Out: &out, Err: &errs, OutTTY: true}}
	require.NoError(t, a.printParity(&parityOptions{}, report, nil))
	assert.Equal(t, ""+
		"BACKEND  MCP-CONFIG-HOT-RELOAD  SHARES-PROCESS  ISOLATES-MCP  READS-CONFIG  TAKES-SERVERS  ASKS-PERMISSION  PARALLEL-STARTS  FOLLOWS-LIST-CHANGED  STOPS-ON-STDIN-CLOSE\n"+
		"kiro     yes                    -               -             -             -              -                -                -                     -\n"+
		"kiro/P4/literal: fail: declared \"1\", observed \"2\": another\n"+
		"kiro/session/load: undeclared: declared \"unknown\", observed \"\\x1b[2Jyes\": not declared\n"+
		"kiro/session/list: expected failure: declared \"yes\", observed \"no\": known\n"+
		"4 cells compared, 1 failed, 0 skipped, 1 failed as expected, 1 undeclared\n", out.String())
	assert.Empty(t, errs.String())

	out.Reset()
	changes := parity.Diff(before, report)[:2]
	require.NoError(t, a.printParity(&parityOptions{before: before}, report, changes))
	assert.Equal(t, ""+
		"BACKEND  CHECK  SUBJECT                CHANGE          DECLARED  OBSERVED  REASON\n"+
		"kiro     P3     mcp-config-hot-reload  appeared: pass  yes       yes       \n"+
		"kiro     P4     literal                pass, now fail  1         2         another\n"+
		"4 cells compared, 1 failed, 0 skipped, 1 failed as expected, 1 undeclared, 2 changed\n", out.String())

	out.Reset()
	require.NoError(t, a.printParity(&parityOptions{live: true}, before, nil))
	assert.Equal(t, ""+
		"BACKEND  CHECK  SUBJECT  RESULT  DECLARED  OBSERVED  REASON\n"+
		"kiro     P4     literal  pass                        \n"+
		"1 cells compared, 0 failed, 0 skipped\n", out.String())
}
