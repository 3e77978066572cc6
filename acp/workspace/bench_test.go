package workspace_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/acpharness/acpharness/acp/workspace"
)

func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	path := put(b, filepath.Join(dir, "a", "b", "c", "file.go"), strings.Repeat("a line of a file\n", 500))
	w := workspace.New(nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read(b, w, path, dir); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "a", "b", "c", "file.go")
	content := strings.Repeat("a line of a file\n", 500)
	w := workspace.New(nil)
	b.ReportAllocs()
	for b.Loop() {
		if err := write(b, w, path, content, dir); err != nil {
			b.Fatal(err)
		}
	}
}
