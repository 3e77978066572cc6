package reconcile

import (
	"context"
	"slices"
	"time"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/bench"
)

// vanished is a process of the server that is no longer there, though its journal does not say how it ended: agents kill servers so soon
// after they have asked them to end that these cannot write it down (copilot).
type vanished struct {
	pid int
	at  time.Time
}

// processes are those of the server that are there.
func processes(entries []bench.MCPEntry) []int {
	var pids []int
	for _, e := range entries {
		if e.Event == "start" && alive(e.PID) && !slices.Contains(pids, e.PID) {
			pids = append(pids, e.PID)
		}
	}
	return pids
}

// watch tells when the first of some processes is gone. It ends with ctx.
func watch(ctx context.Context, pids []int) <-chan vanished {
	found := make(chan vanished, 1)
	go func() { // it is joined by whoever reads until the channel is closed
		defer close(found)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			for _, pid := range pids {
				if !alive(pid) {
					found <- vanished{pid, time.Now()}
					return
				}
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return found
}

// ended makes an entry of a process that is gone, unless the journal has its end.
func ended(entries []bench.MCPEntry, gone vanished, ok bool) []bench.MCPEntry {
	if !ok || slices.ContainsFunc(entries, func(e bench.MCPEntry) bool { return e.PID == gone.pid && ends(e) }) {
		return entries
	}
	return append(entries, bench.MCPEntry{Time: gone.at, PID: gone.pid, Event: "exit", Signal: "gone"})
}

// ends reports whether an entry tells of the end of a process.
func ends(e bench.MCPEntry) bool { return e.Event == "signal" || e.Event == "eof" || e.Event == "exit" }

// stops reports whether an edit asks for the end of a process.
func stops(edit backends.Edit) bool {
	return edit == backends.EditDisable || edit == backends.EditRemove
}
