package terminal_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/terminal"
)

func TestUnknownCommand_gajae3483(t *testing.T) {
	dir := t.TempDir()
	for _, command := range []string{"no-such-command", "./no-such-command", filepath.Join(dir, "no-such-command")} {
		req := request(t)
		req.Command = command
		_, err := terminal.New(&terminal.Options{Env: []string{"PATH=" + dir}}).CreateTerminal(t.Context(), req)
		var missing *terminal.NotFoundError
		require.ErrorAs(t, err, &missing)
		assert.Equal(t, command, missing.Command)
		require.Len(t, missing.Searched, 1)
		assert.ErrorIs(t, err, exec.ErrNotFound)
		assert.ErrorIs(t, err, fs.ErrNotExist, "which agents are told as not found")
		assert.Contains(t, err.Error(), missing.Searched[0])
	}
}

func TestRelativeCommandIsOfTheDirectory(t *testing.T) {
	req := request(t, "found")
	self := req.Command
	req.Command = "." + string(filepath.Separator) + "tool"
	if runtime.GOOS == "windows" {
		req.Command += ".exe"
	}
	binary, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(req.CWD, filepath.Base(req.Command)), binary, 0o755))
	assert.Equal(t, "found", wait(t, create(t, &terminal.Options{Env: childEnv("print")}, req)).Output)
}

func TestDirectory(t *testing.T) {
	place, other := t.TempDir(), t.TempDir()
	at := func(elem ...string) string { return filepath.Join(append([]string{place}, elem...)...) }
	for _, dir := range []string{at("root", "sub"), at("root-evil"), at("outer")} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	require.NoError(t, os.WriteFile(at("root", "file"), nil, 0o600))
	links := os.Symlink(at("root"), at("outer", "in")) == nil && os.Symlink(at("outer"), at("root", "out")) == nil
	for _, tc := range []struct {
		name, dir string
		any       bool
		err       error // nil if the command is started
	}{
		{"the root", at("root"), false, nil},
		{"below the root", at("root", "sub"), false, nil},
		{"one of the options", other, false, nil},
		{"outside", place, false, terminal.ErrOutside},
		{"outside, allowed", place, true, nil},
		{"a name that begins like the root's", at("root-evil"), false, terminal.ErrOutside},
		{"up and out", at("root", "sub") + "/../..", false, terminal.ErrOutside},
		{"up and back", at("root", "sub") + "/..", false, nil},
		{"by a link to the inside", at("outer", "in"), false, nil},
		{"by a link to the outside", at("root", "out"), false, terminal.ErrOutside},
		{"back from a link to the outside", at("root", "out") + "/../root", false, nil},
		{"up from a link to the outside", at("root", "out") + "/..", false, terminal.ErrOutside},
		{"missing", at("root", "gone"), false, fs.ErrNotExist},
		{"missing, anywhere", at("gone"), true, fs.ErrNotExist},
		{"a file", at("root", "file"), true, nil},
		{"relative", "root", true, terminal.ErrNotAbsolute},
		{"empty", "", true, terminal.ErrNotAbsolute},
		{"no name", at("root") + "/\x00", true, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !links && filepath.Base(filepath.Dir(tc.dir)) == "outer" {
				t.Skip("the system lets us make no symbolic links")
			}
			req := request(t)
			req.Roots, req.CWD = []string{at("no-such-root"), at("root")}, tc.dir
			opts := &terminal.Options{Env: childEnv("dir"), Dirs: []string{other}, AnyDir: tc.any}
			term, err := terminal.New(opts).CreateTerminal(t.Context(), req)
			if err == nil {
				require.NoError(t, tc.err)
				defer func() { require.NoError(t, term.Release(t.Context())) }()
				want, err := filepath.EvalSymlinks(tc.dir)
				require.NoError(t, err)
				got, err := filepath.EvalSymlinks(wait(t, term).Output[:len(wait(t, term).Output)-1])
				require.NoError(t, err)
				assert.Equal(t, want, got)
				return
			}
			var refused *terminal.DirError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, tc.dir, refused.Dir)
			if tc.err != nil {
				require.ErrorIs(t, err, tc.err)
			}
		})
	}
}

func TestNegativeLimit(t *testing.T) {
	req := request(t)
	req.OutputByteLimit = new(int64(-1))
	_, err := terminal.New(nil).CreateTerminal(t.Context(), req)
	require.ErrorIs(t, err, terminal.ErrOutputLimit)
}

func TestEnvironment(t *testing.T) {
	for _, tc := range []struct{ name, want string }{
		{"ADDED", "by the agent"}, {"SHARED", "the agent's"}, {"TWICE", "second"}, {"OURS", "the client's"}, {"GONE", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("GONE", "is only in the environment of this program")
			opts := &terminal.Options{Env: []string{childMode + "=env", "SHARED=the client's", "OURS=the client's", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}}
			req := request(t, tc.name)
			req.Env = []acp.EnvVariable{
				{Name: "ADDED", Value: "by the agent"},
				{Name: "SHARED", Value: "the agent's"},
				{Name: "TWICE", Value: "first"},
				{Name: "TWICE", Value: "second"},
			}
			assert.Equal(t, tc.want+"\n", wait(t, create(t, opts, req)).Output)
		})
	}
	t.Run("of this program", func(t *testing.T) {
		t.Setenv(childMode, "env")
		t.Setenv("INHERITED", "yes")
		assert.Equal(t, "yes\n", wait(t, create(t, nil, request(t, "INHERITED"))).Output)
	})
}

// Whatever goes wrong, no error has a value of the environment in it.
func TestErrorsHaveNoValues(t *testing.T) {
	const secret = "s3cret"
	for name, change := range map[string]func(*acp.CreateTerminalRequest){
		"unknown command": func(r *acp.CreateTerminalRequest) { r.Command = "no-such-command" },
		"missing cwd":     func(r *acp.CreateTerminalRequest) { r.CWD += "/gone" },
		"outside":         func(r *acp.CreateTerminalRequest) { r.Roots = nil },
		"no name":         func(r *acp.CreateTerminalRequest) { r.Env = append(r.Env, acp.EnvVariable{Value: secret}) },
		"value in name":   func(r *acp.CreateTerminalRequest) { r.Env = append(r.Env, acp.EnvVariable{Name: "A=" + secret}) },
		"NUL in value": func(r *acp.CreateTerminalRequest) {
			r.Env = append(r.Env, acp.EnvVariable{Name: "A", Value: secret + "\x00"})
		},
		"NUL in command":   func(r *acp.CreateTerminalRequest) { r.Command += "\x00" },
		"NUL in arguments": func(r *acp.CreateTerminalRequest) { r.Args = []string{"\x00"} },
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t)
			req.Env = []acp.EnvVariable{{Name: "TOKEN", Value: secret}}
			change(req)
			_, err := terminal.New(&terminal.Options{Env: append(os.Environ(), "KEY="+secret)}).CreateTerminal(t.Context(), req)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), secret)
			assert.Contains(t, err.Error(), "cannot create terminal: ")
		})
	}
}

func TestMissingDirectoryAnswersAtOnce(t *testing.T) {
	req := request(t)
	req.CWD = filepath.Join(req.CWD, "gone")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := terminal.New(nil).CreateTerminal(ctx, req)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, ctx.Err())
}
