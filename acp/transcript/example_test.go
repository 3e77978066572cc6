package transcript_test

import (
	"context"
	"fmt"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
	"github.com/acpharness/acpharness/acp/transcript"
)

func Example() {
	ctx := context.Background()
	agent := acptest.NewAgent(nil)
	defer agent.Close()
	conn, err := acp.NewClient(acp.Implementation{Name: "example", Version: "1.0.0"}, nil).Connect(ctx, agent)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close(ctx)
	session, err := conn.NewSession(ctx, "/", nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	record := transcript.New(nil)
	prompt := acp.Text("What is in README.md?")
	record.BeginTurn(prompt)
	turn, err := session.Prompt(ctx, prompt, nil)
	if err != nil {
		record.EndTurn(nil, err)
		return
	}
	for n := range turn.Updates() {
		record.Add(n)
	}
	record.EndTurn(turn.Wait(ctx))

	for _, entry := range record.Entries() {
		switch e := entry.(type) {
		case *transcript.Message:
			fmt.Printf("%s: %s\n", e.Role, e.Text)
		case *transcript.ToolCall:
			fmt.Printf("tool: %s, %s\n", *e.Title, e.Status)
		case *transcript.Plan:
			fmt.Printf("plan: %d steps\n", len(e.Entries))
		}
	}
	// Output:
	// user: What is in README.md?
	// thought: The user wrote something. I look around and repeat it.
	// plan: 2 steps
	// tool: Read README.md, completed
	// agent: You said: What is in README.md?
	// This is the built-in demo agent of acpharness; there is no model behind it.
}
