package grants_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/harness/grants"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "grants")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store := grants.Open(filepath.Join(dir, "grants.json"))

	person := acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		fmt.Println("a person is asked")
		return acp.PermissionOutcome{OptionID: "always"}, nil
	})
	handler, err := store.Handler(grants.Scope{Backend: "claude", Root: dir}, person, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		outcome, err := handler.RequestPermission(ctx, &acp.PermissionRequest{
			ToolCall: acp.ToolCall{Kind: acp.ToolExecute, RawInput: json.RawMessage(`{"command": "go test ./..."}`)},
			Options: []acp.PermissionOption{
				{ID: "yes", Kind: acp.AllowOnce}, {ID: "always", Kind: acp.AllowAlways}, {ID: "no", Kind: acp.RejectOnce},
			},
		})
		fmt.Println(outcome.OptionID, err)
	}
	list, err := store.List(&grants.Filter{Backend: "claude"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range list {
		fmt.Println(g.Kind, g.Target())
	}
	// Output:
	// a person is asked
	// always <nil>
	// yes <nil>
	// execute go test ./...
}
