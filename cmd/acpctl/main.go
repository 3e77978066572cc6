// Command acpctl inspects and drives coding agents that speak the Agent Client Protocol.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

// signalEcho is how far the two ways of one signal may lie apart.
const signalEcho = 250 * time.Millisecond

func main() { os.Exit(Main()) }

// Main runs the command line of the process and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process the ordinary way. It is none that comes with the first: a terminal or a service
	// manager sends one to all of a group, and who has started this program passes it on.
	context.AfterFunc(ctx, func() {
		time.Sleep(signalEcho)
		stop()
	})
	return execute(ctx, ui.System(), os.Args[1:])
}
