package workspace_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// put writes a file and the directories above it.
func put(tb testing.TB, path, text string) string {
	tb.Helper()
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func text(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path)
	require.NoError(tb, err)
	return string(data)
}

// tree is everything below a directory: what files have, and what else there is.
func tree(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	all := map[string]string{}
	require.NoError(tb, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		all[name] = entry.Type().String()
		if entry.Type().IsRegular() {
			all[name] = text(tb, path)
		}
		return nil
	}))
	return all
}

func read(tb testing.TB, w *workspace.Workspace, path string, roots ...string) (string, error) {
	tb.Helper()
	return w.ReadTextFile(tb.Context(), &acp.ReadTextFileRequest{Roots: roots, Path: path})
}

func write(tb testing.TB, w *workspace.Workspace, path, content string, roots ...string) error {
	tb.Helper()
	return w.WriteTextFile(tb.Context(), &acp.WriteTextFileRequest{Roots: roots, Path: path, Content: content})
}
