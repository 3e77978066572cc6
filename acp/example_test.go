package acp_test

import (
	"context"
	"fmt"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
	"github.com/acpharness/acpharness/acp/permission"
)

// One turn with an agent that is in this process. A real one is reached with a CommandTransport.
func Example() {
	ctx := context.Background()
	agent := acptest.NewAgent(nil)
	defer agent.Close()

	client := acp.NewClient(acp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	conn, err := client.Connect(ctx, agent)
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
	turn, err := session.Prompt(ctx, acp.Text("hello"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := range turn.Updates() {
		if chunk, ok := n.Update.(*acp.AgentMessageChunk); ok {
			if text, ok := chunk.Content.(*acp.TextContent); ok {
				fmt.Print(text.Text)
			}
		}
	}
	result, err := turn.Wait(ctx)
	fmt.Printf("\n%s %v\n", result.StopReason, err)
	// Output:
	// You said: hello
	// This is the built-in demo agent of acpharness; there is no model behind it.
	// end_turn <nil>
}

// A handler answers permission requests; here a policy that allows what only reads.
func ExampleClientOptions_permission() {
	ctx := context.Background()
	agent := acptest.NewAgent(nil)
	defer agent.Close()

	client := acp.NewClient(acp.Implementation{Name: "example", Version: "1.0.0"}, &acp.ClientOptions{
		Permission: acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			outcome, err := permission.AllowReads.RequestPermission(ctx, req)
			if option, ok := req.Option(outcome.OptionID); ok {
				fmt.Println(req.ToolCall.Kind, "→", option.Kind)
			}
			return outcome, err
		}),
	})
	conn, err := client.Connect(ctx, agent)
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
	turn, err := session.Prompt(ctx, acp.Text("ask me for permission"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := turn.Wait(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// edit → reject_once
}
