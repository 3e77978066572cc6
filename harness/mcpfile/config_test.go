package mcpfile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/harness/mcpfile"
)

// setup returns the configuration of an agent whose first file has a text.
func setup(t *testing.T, id, agent, text string) (*mcpfile.Config, string) {
	t.Helper()
	return configIn(t, t.TempDir(), id, agent, text)
}

func configIn(t *testing.T, home, id, agent, text string) (*mcpfile.Config, string) {
	t.Helper()
	d, err := backends.Lookup(id)
	require.NoError(t, err)
	config, err := mcpfile.Open(d.MCPFiles, &mcpfile.Options{Home: home, Agent: agent})
	require.NoError(t, err)
	path := config.Files()[0].Path()
	if text != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o640))
	}
	return config, path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestAlias(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"plain": "plain", "npm:plain": "npm:plain", "@plain": "@plain", "with space": "with space", // without a slash nothing changes
		"npm:@playwright/mcp": "playwright-mcp", "a/b": "a-b", "@a/b@1.2": "a-b-1.2", "x:y:z/é_w.": "y-z--_w.", "/": "mcp-server", ":/@": "mcp-server", "--/a/--": "a",
	} {
		assert.Equal(t, want, mcpfile.Alias(name), name)
	}
}

// TestCollisions: several names that come to one alias are refused, also in a batch, and nothing is written.
func TestCollisions(t *testing.T) {
	t.Parallel()
	const text = `{"mcpServers":{"n:a/b":{"command":"1"},"m:a/b":{"command":"2"},"a-b":{"command":"3"},"c/d":{"command":"4"},"c-d":{"command":"5"}}}`
	config, path := setup(t, "kiro", "crew", text)
	for _, names := range [][]string{{"a-b"}, {"n:a/b"}, {"x:a/b"}, {"c-d", "m:a/b"}, {"c/d", "@c/d"}} {
		_, err := config.Disable(t.Context(), names...)
		require.ErrorIs(t, err, mcpfile.ErrCollision, names)
		_, err = config.Remove(t.Context(), names...)
		require.ErrorIs(t, err, mcpfile.ErrCollision, names)
	}
	_, err := config.Add(t.Context(), mcpfile.Entry{Name: "e/f", Server: mcpfile.Server{Command: "x"}}, mcpfile.Entry{Name: "@e/f", Server: mcpfile.Server{Command: "y"}})
	require.ErrorIs(t, err, mcpfile.ErrCollision)
	_, err = config.Add(t.Context(), mcpfile.Entry{Name: "x:c/d", Server: mcpfile.Server{Command: "x"}})
	require.Error(t, err)
	assertText(t, text, path)

	_, err = config.Disable(t.Context(), "c-d", "c/d")
	require.NoError(t, err, "two names of one server")
	assert.Equal(t, 2, strings.Count(read(t, path), `"disabled"`))
	_, err = config.Enable(t.Context(), "c/d")
	require.NoError(t, err)
	assertText(t, text, path)
}

// TestBatchIsAllOrNothing: one name that cannot be edited leaves the others as they were.
func TestBatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"kiro", "claude", "codex", "gemini"} {
		config, path := setup(t, id, map[string]string{"kiro": "crew"}[id], map[string]string{"codex": "x = 1\n"}[id]+"")
		if id != "codex" {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
		}
		_, err := config.Add(t.Context(), mcpfile.Entry{Name: "a", Server: mcpfile.Server{Command: "x"}}, mcpfile.Entry{Name: "b", Server: mcpfile.Server{Command: "y"}})
		require.NoError(t, err)
		before := read(t, path)
		for _, edit := range []func(context.Context, ...string) (*mcpfile.Result, error){config.Disable, config.Enable, config.Remove} {
			_, err := edit(t.Context(), "a", "gone", "b", "lost")
			require.ErrorIs(t, err, mcpfile.ErrNotFound)
			require.ErrorContains(t, err, "gone")
			require.ErrorContains(t, err, "lost")
			assertText(t, before, path)
		}
		_, err = config.Add(t.Context(), mcpfile.Entry{Name: "c", Server: mcpfile.Server{Command: "x"}}, mcpfile.Entry{Name: "a", Server: mcpfile.Server{Command: "y"}})
		require.ErrorIs(t, err, mcpfile.ErrExists)
		assertText(t, before, path)
		rows, err := config.List()
		require.NoError(t, err)
		assert.Len(t, rows, 2)
	}
}

// TestDisabledRow: a server that is disabled keeps its row and everything that its entry says, by a marker or without one.
func TestDisabledRow(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"copilot", "claude", "codex", "gemini", "opencode"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			config, path := setup(t, id, "", "")
			server := mcpfile.Server{Command: "cmd", Args: []string{"a"}, Env: map[string]string{"K": "v"}}
			_, err := config.Add(t.Context(), mcpfile.Entry{Name: "s", Server: server})
			require.NoError(t, err)
			before, err := config.List()
			require.NoError(t, err)
			require.Len(t, before, 1)
			_, err = config.Disable(t.Context(), "s")
			require.NoError(t, err)
			rows, err := config.List()
			require.NoError(t, err)
			require.Len(t, rows, 1)
			row := rows[0]
			assert.True(t, row.Disabled)
			assert.Equal(t, "s", row.Name)
			assert.Equal(t, "user", row.Source)
			assert.Equal(t, path, row.File)
			assert.True(t, row.Counts)
			assert.Equal(t, mcpfile.Stdio, row.Transport)
			assert.JSONEq(t, before[0].Spec.JSON(), row.Spec.JSON())
			assert.Equal(t, id == "claude", row.Kept)
			result, err := config.Disable(t.Context(), "s")
			require.NoError(t, err)
			assert.Equal(t, []string{"s"}, result.Unchanged)
			assert.Empty(t, result.Files)
		})
	}
}

// TestKeptIsPrivate: what was taken out of a file has secrets in it.
func TestKeptIsPrivate(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	config, path := configIn(t, home, "claude", "", `{"mcpServers":{"a":{"command":"x","env":{"T":"hunter2"}}}}`)
	_, err := config.Disable(t.Context(), "a")
	require.NoError(t, err)
	assert.NotContains(t, read(t, path), "hunter2")
	kept := filepath.Join(home, ".local", "state", "acpharness", "disabled-mcp-servers.json")
	assert.Contains(t, read(t, kept), "hunter2")
	info, err := os.Stat(kept)
	require.NoError(t, err)
	if os.PathSeparator == '/' {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	_, err = config.Add(t.Context(), mcpfile.Entry{Name: "a", Server: mcpfile.Server{Command: "y"}})
	require.ErrorIs(t, err, mcpfile.ErrExists, "it would be two servers of one name once it is enabled")
	require.NoError(t, os.WriteFile(kept, []byte("{"), 0o600))
	_, err = config.Enable(t.Context(), "a")
	require.ErrorIs(t, err, mcpfile.ErrKept)
	assert.Equal(t, "{", read(t, kept))
}

// TestUntouched: a file that cannot be edited is as it was, and so is its folder.
func TestUntouched(t *testing.T) {
	t.Parallel()
	const good = `{"mcpServers":{"a":{"command":"x"}}}`
	for _, tc := range []struct {
		name, text string
		spoil      func(t *testing.T, path string)
		want       string
		is         error
	}{
		{name: "broken", text: `{"mcpServers":{"a":{"command":"x"}}`, want: "cannot read"},
		{name: "empty", text: " \n", want: "cannot read"},
		{name: "no object", text: `[]`, want: "it is no object"},
		{name: "comment where the agent reads none", text: "{\"mcpServers\":{\"a\":{}}} // x", want: "comments"},
		{name: "twice", text: `{"mcpServers":{"a":{},"a":{}}}`, want: `"mcpServers.a" is there twice`},
		{name: "not UTF-8", text: "{\"mcpServers\":{\"a\":{}},\"x\":\"\xff\"}", want: "UTF-8"},
		{name: "read-only", text: good, spoil: func(t *testing.T, path string) { t.Helper(); require.NoError(t, os.Chmod(path, 0o444)) }, is: mcpfile.ErrReadOnly},
		{name: "hard link", text: good, spoil: func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Link(path, filepath.Join(t.TempDir(), "other")))
		}, is: mcpfile.ErrLinked},
		{name: "a state directory that is none", text: good, spoil: func(t *testing.T, path string) {
			t.Helper()
			local := filepath.Join(filepath.Dir(path), ".local")
			require.NoError(t, os.RemoveAll(local))
			require.NoError(t, os.WriteFile(local, nil, 0o600))
		}, want: ".local"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			config, path := setup(t, "claude", "", tc.text)
			if tc.spoil != nil {
				tc.spoil(t, path)
			}
			_, err := config.Disable(t.Context(), "a")
			require.Error(t, err)
			require.ErrorContains(t, err, tc.want)
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
			}
			assertText(t, tc.text, path)
			entries, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			for _, e := range entries {
				assert.Contains(t, ".claude.json .local", e.Name())
			}
			rows, err := config.List()
			if tc.is == nil {
				require.Error(t, err)
			} else {
				require.NoError(t, err)
				require.Len(t, rows, 1)
				assert.False(t, rows[0].Kept, "what could not be taken out is not kept")
			}
		})
	}
}

// TestModeAndLinkStay: a link to the file stays one, and the mode of what it leads to.
func TestModeAndLinkStay(t *testing.T) {
	t.Parallel()
	config, path := setup(t, "copilot", "", `{}`)
	target := filepath.Join(t.TempDir(), "dotfiles.json")
	require.NoError(t, os.Rename(path, target))
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	_, err := config.Add(t.Context(), mcpfile.Entry{Name: "a", Server: mcpfile.Server{Command: "x"}})
	require.NoError(t, err)
	link, err := os.Readlink(path)
	require.NoError(t, err)
	assert.Equal(t, target, link)
	info, err := os.Stat(target)
	require.NoError(t, err)
	if os.PathSeparator == '/' {
		assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	}
	assert.Contains(t, read(t, target), `"a"`)
}

// TestConcurrentWriters: twenty writers, half of them other processes, leave a valid file with every edit.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"copilot", "codex", "claude"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			config, _ := configIn(t, home, id, "", "")
			var writers errgroup.Group
			for i := range 20 {
				name := fmt.Sprintf("s%d", i)
				writers.Go(func() error {
					if i%2 == 0 {
						cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWriterProcess$")
						cmd.Env = append(os.Environ(), "MCPFILE_WRITER="+strings.Join([]string{id, home, name}, "\n"))
						out, err := cmd.CombinedOutput()
						if err != nil {
							return fmt.Errorf("%w: %s", err, out)
						}
						return nil
					}
					return write(t.Context(), id, home, name)
				})
			}
			require.NoError(t, writers.Wait())
			rows, err := config.List()
			require.NoError(t, err)
			seen := map[string]bool{}
			for i := range rows {
				seen[rows[i].Name] = true
				assert.True(t, rows[i].Disabled, rows[i].Name)
			}
			assert.Len(t, seen, 20)
		})
	}
}

// write is the work of one writer.
func write(ctx context.Context, id, home, name string) error {
	d, err := backends.Lookup(id)
	if err != nil {
		return err
	}
	config, err := mcpfile.Open(d.MCPFiles, &mcpfile.Options{Home: home})
	if err != nil {
		return err
	}
	if _, err = config.Add(ctx, mcpfile.Entry{Name: name, Server: mcpfile.Server{Command: "x"}}); err != nil {
		return err
	}
	_, err = config.Disable(ctx, name)
	return err
}

// TestWriterProcess is a writer of TestConcurrentWriters in a process of its own.
func TestWriterProcess(t *testing.T) {
	work := os.Getenv("MCPFILE_WRITER")
	if work == "" {
		return // not one
	}
	parts := strings.Split(work, "\n")
	require.NoError(t, write(t.Context(), parts[0], parts[1], parts[2]))
}

// TestSecretsStay: values of environments and headers are in JSON() and nowhere else.
func TestSecretsStay(t *testing.T) {
	t.Parallel()
	config, path := setup(t, "copilot", "", "")
	stdio := mcpfile.Server{Command: "x", Env: map[string]string{"T": "hunter2"}}
	remote := mcpfile.Server{URL: "https://user:hunter2@example.com/mcp?key=hunter2", Headers: map[string]string{"H": "hunter2"}}
	_, err := config.Add(t.Context(), mcpfile.Entry{Name: "a", Server: stdio}, mcpfile.Entry{Name: "b", Server: remote})
	require.NoError(t, err)
	rows, err := config.List()
	require.NoError(t, err)
	asJSON, err := json.Marshal(rows)
	require.NoError(t, err)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "rows", rows, "spec", rows[0].Spec, "server", stdio)
	for _, s := range []string{fmt.Sprintf("%v %+v %#v", rows, rows, rows), string(asJSON), log.String(), fmt.Sprintf("%v %+v %#v", stdio, remote, &remote)} {
		assert.NotContains(t, s, "hunter2")
	}
	assert.Contains(t, rows[0].Spec.JSON()+rows[1].Spec.JSON(), "hunter2")
	assert.Contains(t, read(t, path), "hunter2")
	_, err = mcpfile.ParseSpec(`{"env":{"T":"hunter2"}`)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
	for _, broken := range []string{`{"a":"hunter2\q"}`, `{"a":hunter2}`, "T = hunter2", `T = "hunter2\q"`, "[hunter2\nT=1", "T = 'hunter2\n", "T = 1\nT = 'hunter2'", "hunter2"} {
		for _, id := range []string{"copilot", "gemini", "codex"} {
			if err := file(t, id).ParseState([]byte(broken)).Err(); err != nil {
				assert.NotContains(t, err.Error(), "hunter2", broken)
			}
		}
	}
}

// TestDryRun says what would be, and makes not even a folder.
func TestDryRun(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	d, err := backends.Lookup("copilot")
	require.NoError(t, err)
	config, err := mcpfile.Open(d.MCPFiles, &mcpfile.Options{Home: home, DryRun: true})
	require.NoError(t, err)
	result, err := config.Add(t.Context(), mcpfile.Entry{Name: "a", Server: mcpfile.Server{Command: "x"}})
	require.NoError(t, err)
	require.Len(t, result.Files, 1)
	assert.Equal(t, "add a", words(result.Files[0].Diff.Changes))
	entries, err := os.ReadDir(home)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	_, err := mcpfile.Open(nil, nil)
	require.ErrorIs(t, err, mcpfile.ErrNoFiles)
	copilot, err := backends.Lookup("copilot")
	require.NoError(t, err)
	_, err = mcpfile.Open(copilot.MCPFiles, &mcpfile.Options{Agent: "crew"})
	var unsupported *mcpfile.UnsupportedError
	require.ErrorAs(t, err, &unsupported)
	kiro, err := backends.Lookup("kiro")
	require.NoError(t, err)
	for _, name := range []string{"../x", "a/b", "..", " a", "a\\b"} {
		_, err = mcpfile.Open(kiro.MCPFiles, &mcpfile.Options{Agent: name})
		require.Error(t, err, name)
	}
	config, err := mcpfile.Open(kiro.MCPFiles, &mcpfile.Options{Home: t.TempDir(), Agent: "nobody"})
	require.NoError(t, err)
	_, err = config.Add(t.Context(), mcpfile.Entry{Name: "a", Server: mcpfile.Server{Command: "x"}})
	require.ErrorIs(t, err, mcpfile.ErrNoAgent)
}

// TestWrongServers: a server that an agent has no place for is refused, and nothing is left out in silence.
func TestWrongServers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		id     string
		server mcpfile.Server
		want   string
	}{
		"nothing":             {"copilot", mcpfile.Server{}, "needs a command"},
		"both":                {"copilot", mcpfile.Server{Command: "x", URL: "http://x"}, "has no command"},
		"transport":           {"codex", mcpfile.Server{URL: "http://x", Transport: mcpfile.SSE}, "no place for a server over sse"},
		"working directory":   {"claude", mcpfile.Server{Command: "x", Cwd: "/"}, "no place for a working directory"},
		"unknown transport":   {"copilot", mcpfile.Server{URL: "x", Transport: "ws"}, "ws"},
		"a URL without place": {"opencode", mcpfile.Server{URL: "x", Transport: mcpfile.SSE}, "sse"},
	} {
		config, path := setup(t, tc.id, "", "")
		_, err := config.Add(t.Context(), mcpfile.Entry{Name: "a", Server: tc.server})
		require.ErrorContains(t, err, tc.want, name)
		assert.NoFileExists(t, path)
	}
}

// assertText asserts that a file has this very text.
func assertText(t *testing.T, want, path string) {
	t.Helper()
	assert.Equal(t, want, read(t, path))
}
