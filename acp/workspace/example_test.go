package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/workspace"
)

// A client offers a workspace to its agents; here the requests are made by hand.
func Example() {
	files := workspace.New(nil)
	_ = acp.NewClient(acp.Implementation{Name: "example", Version: "1.0.0"}, &acp.ClientOptions{ReadTextFile: files, WriteTextFile: files})

	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	path := filepath.Join(dir, "notes", "list.txt")
	err = files.WriteTextFile(ctx, &acp.WriteTextFileRequest{Roots: []string{dir}, Path: path, Content: "one\ntwo\nthree\n"})
	fmt.Println(err)
	line, limit := int64(2), int64(1)
	text, err := files.ReadTextFile(ctx, &acp.ReadTextFileRequest{Roots: []string{dir}, Path: path, Line: &line, Limit: &limit})
	fmt.Printf("%q %v\n", text, err)
	_, err = files.ReadTextFile(ctx, &acp.ReadTextFileRequest{Roots: []string{dir}, Path: filepath.Join(dir, "..", "other")})
	fmt.Println(errors.Is(err, workspace.ErrOutside))
	// Output:
	// <nil>
	// "two\n" <nil>
	// true
}
