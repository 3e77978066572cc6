package reconcile_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/internal/fakeagent"
	"github.com/acpharness/acpharness/internal/fakemcp"
)

// The first argument that makes the test binary an agent, with the script that follows, or an MCP server.
const (
	beAgent     = "be-agent"
	beMCPServer = "be-mcp-server"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == beAgent || os.Args[1] == beMCPServer) {
		be := serveAgent
		if os.Args[1] == beMCPServer {
			be = serveMCP
		}
		if err := be(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func serveAgent(args []string) error {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	script, err := fakeagent.ParseScript(text)
	if err != nil {
		return err
	}
	return fakeagent.Serve(context.Background(), os.Stdin, os.Stdout, &fakeagent.Options{Script: script, Version: fakeagent.Version})
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
