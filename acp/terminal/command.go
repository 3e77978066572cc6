package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/internal/proc"
)

// Shell says what is done with a whole line of shell, which some agents send as the command.
type Shell int

const (
	// ShellAuto runs a command without arguments by the shell if there is no such executable and it has white space or a
	// character that means something to a shell.
	ShellAuto Shell = iota
	// ShellNever refuses it with a NotFoundError.
	ShellNever
)

// NotFoundError reports a command that is not there or may not be executed.
type NotFoundError struct {
	Command  string   // as the agent sent it
	Searched []string // the directories it was looked for in, in order
	Err      error    // wraps exec.ErrNotFound, and fs.ErrPermission if it may not be executed
}

func (e *NotFoundError) Error() string {
	if len(e.Searched) == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("%v; searched %s", e.Err, strings.Join(e.Searched, ", "))
}

// Unwrap returns Err.
func (e *NotFoundError) Unwrap() error { return e.Err }

// Is reports that a command which is not there is a file which does not exist, so that agents are told "not found".
func (e *NotFoundError) Is(target error) bool {
	return target == fs.ErrNotExist && !errors.Is(e.Err, fs.ErrPermission)
}

// command is what is started.
type command struct {
	path string
	args []string
	raw  string // in place of args, see proc.Spec.RawArgs
}

// resolve finds the executable of a request, or the shell for it.
func (h *Host) resolve(req *acp.CreateTerminalRequest, env []string) (*command, error) {
	path, err := look(req.Command, req.CWD, env)
	switch {
	case err == nil:
		return &command{path: path, args: req.Args}, nil
	case h.opts.Shell == ShellNever || len(req.Args) > 0 || !isLine(req.Command) || errors.Is(err, fs.ErrPermission):
		return nil, err
	}
	return h.shell(req.Command, req.CWD, env)
}

// look finds an executable: a bare name on the PATH of the command's environment, a relative path from its directory, as
// it would be found by a shell there.
func look(name, dir string, env []string) (string, error) {
	given := name
	if filepath.Base(name) != name && !filepath.IsAbs(name) {
		given = dir + string(filepath.Separator) + name
	}
	path, searched, err := proc.LookPath(given, value(env, "PATH"), nil)
	if err != nil {
		return "", &NotFoundError{Command: name, Searched: searched, Err: err}
	}
	return path, nil
}

// isLine reports whether a command that is no executable looks like a line of shell.
func isLine(s string) bool { return strings.ContainsAny(s, " \t\r\n|&;<>()$`\"'*?[]{}~=!#%^") }

// shell is the command that lets a shell run a line.
func (h *Host) shell(line, dir string, env []string) (*command, error) {
	name := h.opts.ShellPath
	if name == "" && runtime.GOOS == "windows" {
		name = "cmd.exe"
	}
	if name == "" {
		name = "sh"
	}
	path, err := look(name, dir, env)
	if err != nil {
		return nil, fmt.Errorf("no shell for a command line: %w", err)
	}
	switch strings.ToLower(filepath.Base(path)) {
	case "cmd.exe", "cmd":
		// cmd takes the line as it is, less one pair of quotes around it.
		return &command{path: path, args: []string{"/d", "/s", "/c", line}, raw: `/d /s /c "` + line + `"`}, nil
	}
	return &command{path: path, args: []string{"-c", line}}, nil
}
