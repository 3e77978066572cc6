package mcpfile_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/harness/mcpfile"
)

var update = flag.Bool("update", false, "write what the edits make into testdata")

// TestGolden plays the transcripts in testdata. The first line of one names a backend, and a custom agent if it has one. Its sections
// are files in the home, and edits; what an edit leaves of a file follows it, or nothing if all is as it was before the edit.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			play(t, archive)
			if *update {
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
			}
		})
	}
}

func play(t *testing.T, archive *txtar.Archive) {
	t.Helper()
	id, agent, _ := strings.Cut(strings.TrimSpace(strings.SplitN(string(archive.Comment), "\n", 2)[0]), " ")
	descriptor, err := backends.Lookup(id)
	require.NoError(t, err)
	home := t.TempDir()
	config, err := mcpfile.Open(descriptor.MCPFiles, &mcpfile.Options{Home: home, Agent: agent})
	require.NoError(t, err)

	content := map[string]string{} // what is to be in the files
	edited := false
	sections := archive.Files
	archive.Files = nil
	check := func() {
		for _, f := range config.Files() {
			name, err := filepath.Rel(home, f.Path())
			require.NoError(t, err)
			text, err := os.ReadFile(f.Path())
			if err != nil {
				require.ErrorIs(t, err, os.ErrNotExist)
				continue
			}
			now := encode(string(text))
			if !*update {
				assert.Equal(t, content[name], now, name)
			} else if edited && content[name] != now {
				archive.Files = append(archive.Files, txtar.File{Name: filepath.ToSlash(name), Data: []byte(now)})
			}
			content[name] = now
		}
	}
	for i, s := range sections {
		verb, rest, isEdit := strings.Cut(s.Name, " ")
		switch {
		case isEdit:
			if edited {
				check()
			}
			edited = true
			archive.Files = append(archive.Files, s)
			apply(t, config, verb, rest)
		case edited:
			if !*update {
				content[s.Name] = string(s.Data)
			}
		default:
			archive.Files = append(archive.Files, s)
			path := filepath.Join(home, filepath.FromSlash(s.Name))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte(decode(string(s.Data))), 0o600))
			content[s.Name] = string(s.Data)
		}
		if i == len(sections)-1 {
			check()
		}
	}
}

// encode shows what people do not see.
func encode(s string) string {
	return strings.NewReplacer("\uFEFF", "<BOM>", "\r\n", "<CR>\n", "\t", "<TAB>").Replace(s)
}

func decode(s string) string {
	return strings.NewReplacer("<BOM>", "\uFEFF", "<CR>\n", "\r\n", "<TAB>", "\t").Replace(s)
}

// apply makes an edit: a verb with names, add with "NAME JSON" or "NAME COMMAND ARGS..." or "NAME URL", tools with +only and -without.
// One that is to fail begins with "no-" and ends in " # " and a part of the error.
func apply(t *testing.T, config *mcpfile.Config, verb, rest string) {
	t.Helper()
	rest, fault, _ := strings.Cut(rest, " # ")
	verb, fails := strings.CutPrefix(verb, "no-")
	words := strings.Fields(rest)
	var err error
	switch verb {
	case "disable":
		_, err = config.Disable(t.Context(), words...)
	case "enable":
		_, err = config.Enable(t.Context(), words...)
	case "remove":
		_, err = config.Remove(t.Context(), words...)
	case "add":
		entry := mcpfile.Entry{Name: words[0]}
		switch {
		case words[1][0] == '{':
			entry.Spec, err = mcpfile.ParseSpec(strings.Join(words[1:], " "))
			require.NoError(t, err)
		case strings.Contains(words[1], "://"):
			entry.Server = mcpfile.Server{URL: words[1], Headers: map[string]string{"Authorization": "Bearer s3cret"}}
		default:
			entry.Server = mcpfile.Server{Command: words[1], Args: words[2:], Env: map[string]string{"TOKEN": "s3cret"}}
		}
		_, err = config.Add(t.Context(), entry)
	case "tools":
		var f mcpfile.Filter
		for _, w := range words[1:] {
			if only, ok := strings.CutPrefix(w, "+"); ok {
				f.Include = append(f.Include, only)
			} else {
				f.Exclude = append(f.Exclude, strings.TrimPrefix(w, "-"))
			}
		}
		_, err = config.SetFilter(t.Context(), words[0], f)
	default:
		require.Fail(t, "no such edit", verb)
	}
	if fails {
		require.ErrorContains(t, err, fault)
		return
	}
	require.NoError(t, err)
}
