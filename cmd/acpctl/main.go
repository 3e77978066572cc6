// Command acpctl inspects and drives coding agents that speak the Agent Client Protocol.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

func main() { os.Exit(Main()) }

// Main runs the command line of the process and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process the ordinary way.
	context.AfterFunc(ctx, stop)
	return execute(ctx, ui.System(), os.Args[1:])
}
