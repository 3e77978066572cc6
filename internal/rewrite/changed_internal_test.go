package rewrite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChangedMeanwhile has somebody else change the file before it is replaced, and at the last moment.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		missing bool
		change  func(file string) error
		left    []string // the names in the folder, each with the text "theirs" or "old"
	}{
		{"text", false, func(file string) error { return os.WriteFile(file, []byte("theirs"), 0o600) }, []string{"file"}},
		{"longer than it may be", false, func(file string) error { return os.Truncate(file, 100) }, []string{"file"}},
		{"another file with the same text", false, func(file string) error {
			if err := os.Rename(file, file+".old"); err != nil { // there still, so that the number of its inode is not free
				return err
			}
			return os.WriteFile(file, []byte("old"), 0o600)
		}, []string{"file", "file.old"}},
		{"mode", false, func(file string) error { return os.Chmod(file, 0o400) }, []string{"file"}},
		{"a second name", false, func(file string) error { return os.Link(file, file+".other") }, []string{"file", "file.other"}},
		{"deleted", false, os.Remove, nil},
		{"a folder", false, func(file string) error {
			if err := os.Remove(file); err != nil {
				return err
			}
			return os.Mkdir(file, 0o700)
		}, []string{"file"}},
		{"created", true, func(file string) error { return os.WriteFile(file, []byte("theirs"), 0o600) }, []string{"file"}},
		{"created without text", true, func(file string) error { return os.WriteFile(file, nil, 0o600) }, []string{"file"}},
	} {
		for _, late := range []bool{false, true} {
			name := tc.name
			if late {
				name += ", late"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				file := filepath.Join(dir, "file")
				if !tc.missing {
					require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
				}
				s, err := Read(file, 10)
				require.NoError(t, err)
				changed := false
				change := func() {
					require.NoError(t, tc.change(file))
					changed = true
				}
				if late {
					s.written = func() {
						entries, err := os.ReadDir(dir)
						require.NoError(t, err)
						assert.NotEmpty(t, entries, "the temporary file")
						change()
					}
				} else {
					change()
				}
				err = s.Replace([]byte("new"))
				require.ErrorIs(t, err, ErrChanged)
				require.ErrorContains(t, err, "read it again")
				assert.True(t, changed)

				entries, err := os.ReadDir(dir)
				require.NoError(t, err)
				var left []string
				for _, e := range entries {
					left = append(left, e.Name())
					text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
					assert.NotEqual(t, "new", string(text))
				}
				assert.Equal(t, tc.left, left)
			})
		}
	}
}

// TestFoldersOfOthersStay has somebody else put something into folders that were made for a new file.
func TestFoldersOfOthersStay(t *testing.T) {
	t.Parallel()
	s, err := Read(filepath.Join(t.TempDir(), "a", "b", "file"), 10)
	require.NoError(t, err)
	s.written = func() { require.NoError(t, os.WriteFile(s.Target, []byte("theirs"), 0o600)) }
	require.ErrorIs(t, s.Replace([]byte("new")), ErrChanged)
	text, err := os.ReadFile(s.Target)
	require.NoError(t, err)
	assert.Equal(t, "theirs", string(text))
}
