package acptest_test

import (
	"context"
	"fmt"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

func Example() {
	ctx := context.Background()
	agent := acptest.NewAgent(&acptest.Script{Updates: 2})
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
	turn, err := session.Prompt(ctx, acp.Text("count"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := range turn.Updates() {
		if chunk, ok := n.Update.(*acp.AgentMessageChunk); ok {
			fmt.Printf("%q\n", chunk.Content.(*acp.TextContent).Text)
		}
	}
	result, err := turn.Wait(ctx)
	fmt.Println(result.StopReason, err)
	// Output:
	// "chunk 0 "
	// "chunk 1 "
	// end_turn <nil>
}
