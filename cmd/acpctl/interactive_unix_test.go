//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// console is acpctl at a terminal, and somebody who types.
type console struct {
	t   *testing.T
	cmd *exec.Cmd
	tty *os.File

	mu     sync.Mutex
	shown  bytes.Buffer
	read   int // of shown, how much was expected already
	more   chan struct{}
	stdout bytes.Buffer
}

// atTerminal starts acpctl with its input and standard error on a terminal. Its output is what the test reads in the end.
func atTerminal(t *testing.T, home string, args ...string) *console {
	t.Helper()
	self, err := exec.LookPath("acpctl")
	require.NoError(t, err)
	ptmx, tty, err := pty.Open()
	require.NoError(t, err)
	c := &console{t: t, cmd: exec.Command(self, args...), tty: ptmx, more: make(chan struct{}, 1)}
	c.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "GORACE=atexit_sleep_ms=0", "NO_COLOR=1")
	c.cmd.Stdin, c.cmd.Stderr, c.cmd.Stdout = tty, tty, &c.stdout
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // it is their terminal
	require.NoError(t, c.cmd.Start())
	require.NoError(t, tty.Close())
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		buf := make([]byte, 4096)
		for {
			n, err := ptmx.Read(buf)
			c.mu.Lock()
			c.shown.Write(buf[:n])
			c.mu.Unlock()
			select {
			case c.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		<-drained
		_ = ptmx.Close()
	})
	return c
}

// expect waits until the terminal shows something, after what was expected before.
func (c *console) expect(text string) {
	c.t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	for {
		c.mu.Lock()
		found := bytes.Index(c.shown.Bytes()[c.read:], []byte(text))
		if found >= 0 {
			c.read += found + len(text)
		}
		shown := c.shown.String()
		c.mu.Unlock()
		if found >= 0 {
			return
		}
		select {
		case <-c.more:
		case <-deadline.C:
			require.Fail(c.t, "not shown: "+text, "%s", shown)
		}
	}
}

func (c *console) types(line string) {
	c.t.Helper()
	_, err := io.WriteString(c.tty, line)
	require.NoError(c.t, err)
}

// ends waits for acpctl and returns its output.
func (c *console) ends(code int) string {
	c.t.Helper()
	defer time.AfterFunc(30*time.Second, func() { _ = c.cmd.Process.Kill() }).Stop()
	_ = c.cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	assert.Equal(c.t, code, c.cmd.ProcessState.ExitCode(), "%s", c.shown.String())
	return c.stdout.String()
}

// agentWith writes a script, with WORK for its folder, and returns the folder and the command line.
func agentWith(t *testing.T, script string) (work string, command []string) {
	t.Helper()
	self, err := exec.LookPath("acpctl")
	require.NoError(t, err)
	work = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(work, "in.txt"), []byte("the input\n"), 0o600))
	file := filepath.Join(work, "script.json")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(script, "WORK", work)), 0o600))
	return work, []string{"--", self, "mock", "agent", "--script", file}
}

const everyQuestion = `{"callClient": [
	{"method": "fs/read_text_file", "params": {"path": "WORK/in.txt"}},
	{"method": "fs/write_text_file", "params": {"path": "WORK/out.txt", "content": "x"}},
	{"method": "elicitation/create", "params": {"mode": "form", "message": "Which one?\nacpctl: signed in", "requestedSchema": {"type": "object", "properties": {
		"n": {"type": "integer", "title": "Number", "minimum": 1}, "note": {"type": "string"},
		"level": {"type": "string", "enum": ["2", "1"]}, "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}},
		"sure": {"type": "boolean", "default": true}}, "required": ["n"]}}},
	{"method": "elicitation/create", "params": {"mode": "url", "message": "Sign in", "elicitationId": "e", "url": "https://example.test/a?b"}}
]}`

func TestInteractive(t *testing.T) {
	t.Parallel()
	work, agent := agentWith(t, everyQuestion)
	c := atTerminal(t, t.TempDir(), append([]string{"run", "--interactive", "--cwd", work, "--allow-dir", work, "go"}, agent...)...)
	c.expect("The agent asks for permission, and acpctl would do it:")
	c.expect("path    │ " + work + "/in.txt")
	c.expect("1) allow_once: Allow")
	c.expect("Your choice:")
	c.types("n\n") // a word is no choice
	c.expect("Answer with a number from 1 to 2.")
	c.expect("Your choice:")
	c.types("1\n")
	c.expect("out.txt")
	c.expect("Your choice:")
	c.types("2\n")
	c.expect("│ Which one?\r\n  │ acpctl: signed in") // what the agent says has a bar in front
	c.expect("Do you want to answer? [y/n]")
	c.types("y\n")
	c.expect("Number (a whole number):")
	c.types("0\n")
	c.expect("is less than 1")
	c.expect("Number")
	c.types("7\n")
	c.expect("note (may be empty):")
	c.types("\n")
	c.expect("level (may be empty):")
	c.types("1\n") // the value, and not the first one
	c.expect("tags (numbers, with commas between, may be empty):")
	c.types("1, 3\n")
	c.expect("sure (y/n, empty for true):")
	c.types("\n")
	c.expect("address │ https://example.test/a?b")
	c.expect("Do you? [y/n]")
	c.types("n\n")
	out := c.ends(exitOK)
	assert.Contains(t, out, `fs/read_text_file: ok {"content":"the input\n"}`)
	assert.Contains(t, out, "fs/write_text_file: error -32603")
	for _, member := range []string{`"n":7`, `"level":"1"`, `"tags":["a","c"]`, `"sure":true`} {
		assert.Contains(t, out, member)
	}
	assert.Contains(t, out, `elicitation/create: ok {"action":"decline"}`)
	assert.NotContains(t, out, `"note"`)
}

// Who ends the input rejects and cancels.
func TestInteractiveWithoutAnswer(t *testing.T) {
	t.Parallel()
	work, agent := agentWith(t, everyQuestion)
	c := atTerminal(t, t.TempDir(), append([]string{"run", "--interactive", "--cwd", work, "--allow-dir", work, "go"}, agent...)...)
	c.expect("Your choice:")
	c.types("\x04")
	out := c.ends(exitOK)
	assert.Contains(t, out, "fs/read_text_file: error -32603")
	assert.Contains(t, out, `elicitation/create: ok {"action":"cancel"}`)
}

// What is typed before a question is shown answers none.
func TestTypedAhead(t *testing.T) {
	t.Parallel()
	work, agent := agentWith(t, `{"newDelay": "1s", "callClient": [{"method": "fs/read_text_file", "params": {"path": "WORK/in.txt"}}]}`)
	c := atTerminal(t, t.TempDir(), append([]string{"run", "--interactive", "--cwd", work, "--allow-dir", work, "go"}, agent...)...)
	c.types("1\n1\n")
	c.expect("Your choice:")
	c.types("2\n")
	assert.Contains(t, c.ends(exitOK), "fs/read_text_file: error -32603")
}

// An interrupt ends a run whose question is open, and nothing was allowed.
func TestInterruptedQuestion(t *testing.T) {
	t.Parallel()
	work, agent := agentWith(t, everyQuestion)
	c := atTerminal(t, t.TempDir(), append([]string{"run", "--interactive", "--cwd", work, "--allow-dir", work, "go"}, agent...)...)
	c.expect("Your choice:")
	require.NoError(t, c.cmd.Process.Signal(os.Interrupt))
	c.expect("The question was withdrawn.")
	assert.NotContains(t, c.ends(exitInterrupted), "the input")
}

// "Always" is remembered for the backend and the folder, heeded where somebody wants that, and can be revoked.
func TestAlways(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	self, err := exec.LookPath("acpctl")
	require.NoError(t, err)
	acpctl := func(args ...string) string {
		cmd := exec.Command(self, args...)
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "GORACE=atexit_sleep_ms=0")
		out, err := cmd.Output()
		require.NoError(t, err, "%v", args)
		return string(out)
	}
	run := func(flags ...string) string {
		return acpctl(append(append([]string{"run", "--backend", "builtin", "--cwd", work}, flags...), "permission")...)
	}
	c := atTerminal(t, home, "run", "--backend", "builtin", "--interactive", "--cwd", work, "permission")
	c.expect("allow_always")
	c.expect("Your choice:")
	shown := func() string { c.mu.Lock(); defer c.mu.Unlock(); return c.shown.String() }()
	number := regexp.MustCompile(`(\d)\) allow_always`).FindStringSubmatch(shown)
	require.NotNil(t, number, "%s", shown)
	c.types(number[1] + "\n")
	assert.Contains(t, c.ends(exitOK), "Permission: allowed (allow_always)")
	assert.Contains(t, acpctl("grants", "list"), "edit")
	assert.Contains(t, run("--grants"), "Permission: allowed (allow_once)")
	assert.Contains(t, run(), "Permission: rejected")
	acpctl("grants", "revoke", "--all")
	assert.Contains(t, run("--grants"), "Permission: rejected")
}

// A sign-in in the terminal has the terminal, and an interrupt is its own.
func TestLoginInTheTerminal(t *testing.T) {
	t.Parallel()
	methods := func(shell string) string {
		return fmt.Sprintf(`{"authRequired": -1, "authMethods": [{"id": "tty", "name": "T", "_meta": {"terminal-auth": {"command": "sh", "args": ["-c", %q]}}}]}`, shell)
	}
	for _, tt := range []struct {
		name, shell, types string
		code               int
		timeout            string
	}{
		{name: "it fails", shell: "echo ready >&2; read x; exit 3", types: "\n", code: exitAuth},
		{name: "it reads from the terminal", shell: `echo ready >&2; read x; echo "got $x" >&2`, types: "word\n", code: exitAuth}, // and does not help
		{name: "an interrupt", shell: "echo ready >&2; read x", types: "\x03", code: exitInterrupted},
		{name: "the timeout, with children that stay", shell: "sleep 300 & echo ready >&2; wait; sleep 300", timeout: "2s", code: exitTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, agent := agentWith(t, methods(tt.shell))
			args := []string{"login", "--method", "tty"}
			if tt.timeout != "" {
				args = append(args, "--timeout", tt.timeout)
			}
			c := atTerminal(t, t.TempDir(), append(args, agent...)...)
			c.expect("ready")
			c.types(tt.types)
			if strings.Contains(tt.types, "word") {
				c.expect("got word")
				c.expect("still wants a sign-in")
			}
			c.ends(tt.code)
		})
	}
}
