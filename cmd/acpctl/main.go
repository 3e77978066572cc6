// Command acpctl inspects and drives coding agents that speak the Agent Client Protocol.
package main

import (
	"os"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

func main() { os.Exit(Main()) }

// Main runs the command line of the process and returns its exit code.
func Main() int {
	ctx, hard, stop := heedSignals(func() { os.Exit(exitInterrupted) })
	defer stop()
	return execute(ctx, hard, ui.System(), os.Args[1:])
}
