package permission_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
	"github.com/acpharness/acpharness/acp/permission"
)

func ExampleRules_Handler() {
	rules, err := permission.ParseRules([]byte(`{
		"rules": [
			{"name": "no secrets", "action": "reject", "paths": ["**/.env"]},
			{"name": "look around", "action": "allow", "kinds": ["read", "search"], "paths": ["**"]},
			{"name": "test", "action": "allow", "commands": ["go test **"]}
		],
		"default": "ask"
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	person := acp.PermissionFunc(func(ctx context.Context, _ *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		<-ctx.Done() // who is at lunch
		return acp.PermissionOutcome{}, ctx.Err()
	})
	handler, err := rules.Handler(&permission.Options{
		Root: "/project",
		Next: permission.Within(person, time.Millisecond, nil),
		Log:  func(d permission.Decision) { fmt.Println(d) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, input := range []string{`{"command": "go test ./..."}`, `{"command": "go test ./...; rm -rf /"}`} {
		_, err := handler.RequestPermission(context.Background(), &acp.PermissionRequest{
			ToolCall: acp.ToolCall{Kind: acp.ToolExecute, RawInput: json.RawMessage(input)},
			Options:  []acp.PermissionOption{{ID: "yes", Kind: acp.AllowOnce}, {ID: "no", Kind: acp.RejectOnce}},
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// allow_once for a tool of kind "execute", name "": rule 2 "test" says allow, answered by rule
	// reject_once for a tool of kind "execute", name "": the default says ask, answered by next
}

func ExampleTripWire() {
	ctx := context.Background()
	agent := acptest.NewAgent(nil)
	defer agent.Close()
	wire := permission.NewTripWire(&permission.TripWireOptions{Forbidden: []string{"auto"}, AsksFor: []acp.ToolKind{acp.ToolRead}})
	client := acp.NewClient(acp.Implementation{Name: "example", Version: "1.0.0"}, &acp.ClientOptions{
		Permission: wire.Handler(permission.AllowReads),
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
	turn, err := session.Prompt(ctx, acp.Text("What is in README.md?"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := range turn.Updates() {
		if v := wire.Note(n); v != nil {
			fmt.Println(v.ToolKind, "without a request")
		}
	}
	if _, err := turn.Wait(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// read without a request
}
