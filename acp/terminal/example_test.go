package terminal_test

import (
	"context"
	"fmt"
	"os"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/terminal"
)

// A host is given to a client, which advertises terminals then and releases them with their sessions. This is what it is
// asked by an agent.
func Example() {
	host := terminal.New(&terminal.Options{MaxOutput: 64 << 10})
	_ = acp.NewClient(acp.Implementation{Name: "example", Version: "1.0.0"}, &acp.ClientOptions{Terminal: host})

	ctx, dir := context.Background(), os.TempDir()
	term, err := host.CreateTerminal(ctx, &acp.CreateTerminalRequest{
		Roots: []string{dir}, CWD: dir, Command: "echo one && echo two",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	status, err := term.Wait(ctx)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(term.Output().Output)
	fmt.Println("exit code", *status.ExitCode)
	if err := term.Release(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// one
	// two
	// exit code 0
}
