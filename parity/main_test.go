package parity

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

// agentMode makes the test binary the agent that plays the backends, with the script that its last argument names.
const agentMode = "PARITY_TEST_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(agentMode) != "" {
		if err := beAgent(os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func beAgent(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	script, err := fakeagent.ParseScript(text)
	if err != nil {
		return err
	}
	return fakeagent.Serve(context.Background(), os.Stdin, os.Stdout, &fakeagent.Options{Script: script})
}
