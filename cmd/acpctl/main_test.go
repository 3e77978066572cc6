package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/backends"
)

// TestMain runs the tests, or acpctl itself where a script started the test binary under that name. A built-in agent is
// such a process too: acpctl starts its own executable.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){"acpctl": func() { os.Exit(Main()) }})
}

// leakChecked fails if the tests leave goroutines behind.
type leakChecked struct{ *testing.M }

func (m leakChecked) Run() int {
	code := m.M.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines are left behind:", err)
		return 1
	}
	return code
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               setUp,
		Condition:           condition,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "gone": gone, "mode": mode, "expand": expand},
	})
}

// expand puts the values of environment variables into a file.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	file := ts.MkAbs(args[0])
	text, err := os.ReadFile(file)
	ts.Check(err)
	ts.Check(os.WriteFile(file, []byte(os.Expand(string(text), ts.Getenv)), 0o600))
}

func setUp(env *testscript.Env) error {
	self, err := exec.LookPath("acpctl")
	if err != nil {
		return err
	}
	env.Setenv("ACPCTL", self)
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	// The race detector's run time would hold up every exit for a second.
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	return os.Mkdir(home, 0o700)
}

// condition knows "agents": an agent is installed for every user, where a look-up finds it without PATH.
func condition(name string) (bool, error) {
	if name != "agents" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	for d := range backends.All() {
		for _, dir := range []string{"/usr/local/bin", "/opt/homebrew/bin"} {
			if _, err := os.Stat(filepath.Join(dir, d.Launch.Command)); d.Launch.Command != "" && err == nil {
				return true, nil
			}
		}
	}
	return false, nil
}

// exits CODE COMMAND ARGS... runs a command that must exit with this code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("cannot run %s: %v", args[1], err)
		}
		code = exit.ExitCode()
	}
	ts.Logf("[stdout]\n%s[stderr]\n%s", ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// gone FILE checks that the process whose id a file holds has ended, be it that nobody has reaped it yet.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone file")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	process, err := os.FindProcess(pid)
	if err != nil || process.Signal(syscall.Signal(0)) != nil {
		return
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if i := bytes.LastIndexByte(stat, ')'); i < 0 || !bytes.HasPrefix(stat[i+1:], []byte(" Z")) {
		ts.Fatalf("process %d lives: %s", pid, stat)
	}
}

// mode PERMISSIONS FILE checks the permissions of a file.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode permissions file")
	}
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}
