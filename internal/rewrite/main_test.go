package rewrite_test

import (
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/internal/rewrite"
)

// beCounter is the first argument that makes the test binary count in the file that is the second.
const beCounter = "be-counter"

const limit = 1 << 10

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == beCounter {
		if err := count(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// put writes a file of a mode, whatever the umask is.
func put(t *testing.T, path, text string, mode fs.FileMode) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

func read(t *testing.T, path string) *rewrite.Snapshot {
	t.Helper()
	s, err := rewrite.Read(path, limit)
	require.NoError(t, err)
	return s
}

// tree is everything below a folder: what files have, and what else there is.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		all[name] = info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			text, err := root.ReadFile(name)
			all[name] += " " + string(text)
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := root.Readlink(name)
			all[name] += " " + text
			return err
		}
		return nil
	}))
	return all
}

// refused checks that a file is not replaced, for a reason, and that nothing has come of trying.
func refused(t *testing.T, s *rewrite.Snapshot, text string, want error, dir string) {
	t.Helper()
	before := tree(t, dir)
	err := s.Replace([]byte(text))
	require.ErrorIs(t, err, want)
	require.ErrorContains(t, err, "cannot replace "+s.Path+": ")
	require.Equal(t, before, tree(t, dir))
}
