package mcpfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/harness/mcpfile"
)

const oneServer = `{"mcpServers":{"a":{"command":%q}}}`

// TestKeptTwice: where there is an entry in the file and another one was taken out of it, none of them gets lost.
func TestKeptTwice(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	config, path := configIn(t, home, "claude", "", fmt.Sprintf(oneServer, "old"))
	_, err := config.Disable(t.Context(), "a")
	require.NoError(t, err)
	fresh := fmt.Sprintf(oneServer, "new")
	require.NoError(t, os.WriteFile(path, []byte(fresh), 0o600))

	rows, err := config.List()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.False(t, rows[0].Kept)
	assert.True(t, rows[1].Kept)
	_, err = config.Disable(t.Context(), "a")
	require.ErrorIs(t, err, mcpfile.ErrKeptTwice)
	_, err = config.Enable(t.Context(), "a")
	require.ErrorIs(t, err, mcpfile.ErrKeptTwice)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "disabled-mcp-servers.json")
	assertText(t, fresh, path)

	_, err = config.Remove(t.Context(), "a")
	require.NoError(t, err)
	rows, err = config.List()
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.True(t, rows[0].Kept)
	_, err = config.Enable(t.Context(), "a")
	require.NoError(t, err)
	assertText(t, fmt.Sprintf(oneServer, "old"), path)
	rows, err = config.List()
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.False(t, rows[0].Kept)
}

// TestKeptAndStillThere: an edit that was interrupted leaves the same entry in both places, which is one.
func TestKeptAndStillThere(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*mcpfile.Config) error{
		"disable": func(c *mcpfile.Config) error {
			_, err := c.Disable(t.Context(), "a")
			return err
		},
		"remove": func(c *mcpfile.Config) error {
			_, err := c.Remove(t.Context(), "a")
			return err
		},
	} {
		text := fmt.Sprintf(oneServer, "x")
		config, path := setup(t, "claude", "", text)
		_, err := config.Disable(t.Context(), "a")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		rows, err := config.List()
		require.NoError(t, err)
		require.Len(t, rows, 1, name)
		assert.False(t, rows[0].Disabled)
		require.NoError(t, edit(config), name)
		_, err = config.Enable(t.Context(), "a")
		if name == "remove" {
			require.ErrorIs(t, err, mcpfile.ErrNotFound)
			continue
		}
		require.NoError(t, err)
		assertText(t, text, path)
	}
}

// TestKeptOrder: in whatever order servers are disabled and enabled, everything is where it was in the end.
func TestKeptOrder(t *testing.T) {
	t.Parallel()
	orders := [][]string{{"a", "b", "c"}, {"a", "c", "b"}, {"b", "a", "c"}, {"b", "c", "a"}, {"c", "a", "b"}, {"c", "b", "a"}}
	for _, text := range []string{
		"{\n  \"mcpServers\": {\n    \"a\" : {\n      \"command\": \"x\"\n    },\n    \"b\":{\"command\":  \"y\"},\n    \"c\": {}\n  },\n  \"z\": 1\n}\n",
		`{"mcpServers":{"a":{"command":"x"},"\u0062":{"command": "y"},"c":{}},"z":1}`,
		`{"mcpServers": {"a": {"command": "x"}, "b": {}, "c": {}}}`,
		`{"mcpServers":{"0":{},"a":{"command":"x"},"b":{},"1":{},"c":{}}}`,
	} {
		for _, off := range orders {
			for _, on := range orders {
				config, path := setup(t, "claude", "", text)
				for _, name := range off {
					_, err := config.Disable(t.Context(), name)
					require.NoError(t, err)
				}
				for _, name := range on {
					_, err := config.Enable(t.Context(), name)
					require.NoError(t, err)
				}
				require.Equal(t, text, read(t, path), "%v %v", off, on)
			}
		}
	}
}

// TestKeptOfALink: what was taken out of a file that a link led to goes back into the one that is in the place of the link.
func TestKeptOfALink(t *testing.T) {
	t.Parallel()
	text := fmt.Sprintf(oneServer, "x")
	config, path := setup(t, "claude", "", text)
	target := filepath.Join(t.TempDir(), "dotfiles.json")
	require.NoError(t, os.Rename(path, target))
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	_, err := config.Disable(t.Context(), "a")
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte(`{"mcpServers":{}}`), 0o600))
	rows, err := config.List()
	require.NoError(t, err)
	require.Len(t, rows, 1)
	_, err = config.Enable(t.Context(), "a")
	require.NoError(t, err)
	assertText(t, text, path)
}
