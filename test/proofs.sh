#!/usr/bin/env bash
# The heavy proofs, with full counts: bash test/proofs.sh
#
# CI runs the same code with smaller counts. FUZZ sets how many inputs each fuzz target tries (2000000), REPEAT how often the
# tests that depend on the order of events are repeated under the race detector (20).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "== a million updates, a hundred thousand cancelled calls, a gigabyte without a newline"
ACP_HEAVY=1 go test -count=1 -v -run 'SlowAndStopped|CancelledCalls|LongLines|EndlessLine|Burst' ./acp

echo "== a thousand trees killed at every point, a thousand answers before an exit"
ACP_HEAVY=1 go test -count=1 -v -run 'NoDescendantIsLeft|NeverLost' ./acp
ACP_HEAVY=1 go test -count=1 -v -run 'StressTrees' ./internal/proc

echo "== terminals: a gigabyte printed, a thousand times written and ended at once"
ACP_HEAVY=1 go test -count=1 -v -run 'Flood|WriteAndExit' ./acp/terminal

echo "== a thousand sequences of edits of agents' own files, against a model"
ACP_HEAVY=1 go test -count=1 -run 'RandomEdits' ./harness/mcpfile

echo "== ten thousand turns, cancelled, crashing and late"
ACP_HEAVY=1 go test -count=1 -v -race -run 'EveryTurnHasOneOutcome' ./acp

echo "== real agents, all of them, ended at every point of their life"
test/live/install.sh
go test -v -count=1 -timeout 60m ./test/live -live

echo "== repeated under the race detector"
go test -race -count "${REPEAT:-20}" -timeout 60m ./internal/ndjson
go test -race -count "${REPEAT:-20}" -timeout 60m -run 'Turn|Update|Permission|Cancel|Answer|Request|Session|Batch|Settles|Dispatch' ./acp

echo "== fuzz targets"
test/fuzz.sh "${FUZZ:-2000000}"
