package bench_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/internal/fakemcp"
)

// beMCPServer is the first argument that makes the test binary an MCP server.
const beMCPServer = "be-mcp-server"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == beMCPServer {
		if err := serveMCP(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == beOffline {
		os.Exit(tellOffline())
	}
	goleak.VerifyTestMain(m)
}

// serveMCP takes the flags of acpctl mock mcp that a bench passes.
func serveMCP(args []string) error {
	var opts fakemcp.Options
	flags := flag.NewFlagSet(beMCPServer, flag.ContinueOnError)
	flags.StringVar(&opts.Label, "label", "", "")
	flags.StringVar(&opts.Journal, "journal", "", "")
	flags.StringVar(&opts.Tools, "tools", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	opts.Args = flags.Args()
	return fakemcp.Serve(context.Background(), os.Stdin, os.Stdout, &opts)
}
