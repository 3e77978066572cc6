package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/internal/proc"
)

// self is the exit of a process that ended by itself.
func self(code int) *Exit { return &Exit{Code: code, By: proc.Self.String()} }

// stopped is the exit of a process that we ended.
func stopped() *Exit { return &Exit{Code: -1, Signal: "SIGKILL", By: proc.Killed.String()} }

func TestDiagnoseStart(t *testing.T) {
	t.Parallel()
	late := fmt.Errorf("no answer: %w", &timeoutError{time.Minute})
	early := fmt.Errorf("%w: %w", errEndedEarly, io.ErrUnexpectedEOF)
	spawn := func(reason proc.Reason) error {
		return &proc.StartError{Reason: reason, Path: "/x", Err: fs.ErrInvalid}
	}
	for _, tc := range []struct {
		name   string
		phase  Phase // initialize if empty
		exit   *Exit
		stderr string
		noise  []string
		err    error
		seen   outputSeen
		kind   StartKind
		hint   string // a part of it; "" means there is none
	}{
		{name: "not found", phase: PhaseResolve, err: fmt.Errorf("x: %w", exec.ErrNotFound), kind: StartNotFound, hint: "PATH"},
		{name: "found but not executable", phase: PhaseResolve, err: fmt.Errorf("%w: %w", fs.ErrPermission, exec.ErrNotFound), kind: StartNotExecutable, hint: "executable"},
		{name: "gone when started", phase: PhaseSpawn, err: spawn(proc.NotFound), kind: StartNotFound, hint: "PATH"},
		{name: "may not be executed", phase: PhaseSpawn, err: spawn(proc.NotExecutable), kind: StartNotExecutable, hint: "executable"},
		{name: "neither program nor script", phase: PhaseSpawn, err: spawn(proc.ExecFormat), kind: StartNotExecutable, hint: "#!"},
		{name: "other processor", phase: PhaseSpawn, err: spawn(proc.WrongArchitecture), kind: StartWrongArchitecture, hint: "processor"},
		{name: "no interpreter, obsidian-copilot#2496", phase: PhaseSpawn, err: spawn(proc.InterpreterMissing), kind: StartInterpreterMissing, hint: "Node"},
		{name: "no working directory", phase: PhaseSpawn, err: spawn(proc.DirMissing), kind: StartOther, hint: "working directory"},
		{name: "another reason", phase: PhaseSpawn, err: spawn(proc.Other), kind: StartOther},
		{name: "too late before the spawn", phase: PhaseSpawn, err: context.DeadlineExceeded, kind: StartOther, hint: "more"},

		{name: "node missing, GNU env, Memoh#1316", exit: self(127), stderr: "env: 'node': No such file or directory\n", err: early, kind: StartInterpreterMissing, hint: "install Node"},
		{name: "node missing, curly quotes", exit: self(127), stderr: "/usr/bin/env: ‘node’: No such file or directory\n", err: early, kind: StartInterpreterMissing, hint: "install Node"},
		{name: "node missing, macOS", exit: self(127), stderr: "env: node: No such file or directory\n", err: early, kind: StartInterpreterMissing, hint: "install Node"},
		{name: "node missing, busybox", exit: self(127), stderr: "env: can't execute 'node': No such file or directory", err: early, kind: StartInterpreterMissing, hint: "install Node"},
		{name: "python missing, another language", exit: self(127), stderr: "env: »python3«: Datei oder Verzeichnis nicht gefunden\n", err: early, kind: StartInterpreterMissing, hint: "install Python"},
		{name: "options in the first line", exit: self(127), stderr: "env: 'node --no-warnings': No such file or directory\nenv: use -[v]S\n", err: early, kind: StartInterpreterMissing, hint: "run by"},
		{name: "node missing, shim of pnpm", exit: self(127), stderr: "/x/agent: 15: exec: node: not found\n", err: early, kind: StartInterpreterMissing, hint: "install Node"},
		{name: "node missing, Windows", exit: self(1), stderr: "'node' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n", err: early, kind: StartInterpreterMissing, hint: "install Node"},
		{name: "bad interpreter", exit: self(126), stderr: "bash: ./agent: /opt/node: bad interpreter: No such file or directory", err: early, kind: StartInterpreterMissing, hint: "run by"},
		{name: "broken npx cache, zed#52294", exit: self(127), stderr: "sh: adapter: command not found\n", err: early, kind: StartCommandFailed, hint: `"adapter"`},
		{name: "the same, dash", exit: self(127), stderr: "sh: 1: claude-agent-acp: not found\n", err: early, kind: StartCommandFailed, hint: "npm cache verify"},
		{name: "the same, zsh", exit: self(127), stderr: "zsh:1: command not found: adapter\n", err: early, kind: StartCommandFailed, hint: `"adapter"`},
		{name: "127 and silent", exit: self(127), err: early, kind: StartCommandFailed, hint: "terminal"},
		{name: "126", exit: self(126), stderr: "env: './agent': Permission denied\n", err: early, kind: StartCommandFailed, hint: "could not run"},
		{name: "126, other processor", exit: self(126), stderr: "sh: 1: agent: Exec format error\n", err: early, kind: StartWrongArchitecture, hint: "processor"},

		{name: "package unknown, kandev#2259", exit: self(1), stderr: "npm error code E404\nnpm error 404 Not Found\n", err: early, kind: StartNpm, hint: "no such package"},
		{name: "cache written twice, ruflo#215", exit: self(190), stderr: "npm ERR! code ENOTEMPTY\nnpm ERR! syscall rename\n", err: early, kind: StartNpm, hint: "npm cache verify"},
		{name: "version unknown", exit: self(1), stderr: "npm error code ETARGET\nnpm error notarget No matching version found for a@9.\n", err: early, kind: StartNpm, hint: "no such version"},
		{name: "release too new, npm/cli#8512", exit: self(1), stderr: "npm error code ETARGET\nnpm error notarget No matching version found for a@9 with a date before 1/1/2026.\n", err: early, kind: StartNpm, hint: "older version"},
		{name: "no right to write", exit: self(243), stderr: "npm warn x\r\n\x1b[31mnpm\x1b[39m \x1b[31merror\x1b[39m code EACCES\r\n", err: early, kind: StartNpm, hint: "write"},
		{name: "offline", exit: self(1), stderr: "npm error code EAI_AGAIN\n", err: early, kind: StartNpm, hint: "network"},
		{name: "no command in the package", exit: self(1), stderr: "npm error could not determine executable to run\n", err: early, kind: StartNpm, hint: "--package"},
		{name: "a code nobody knows", exit: self(1), stderr: "npm error code EWHATEVER\n", err: early, kind: StartNpm, hint: "EWHATEVER"},
		{name: "no code", exit: self(1), stderr: "npm error command failed\n", err: early, kind: StartNpm, hint: "log"},
		{name: "npm fails and hangs", exit: stopped(), stderr: "npm error code ECONNRESET\n", err: late, kind: StartNpm, hint: "network"},
		{name: "an agent that speaks of npm", exit: self(1), stderr: "a plugin said: npm error code E404\n", err: early, kind: StartExitedEarly, hint: "its end"},

		{name: "exit 0, opencode#22795", exit: self(0), err: early, kind: StartExitedEarly, hint: "without an error"},
		{name: "exit 1 and silent", exit: self(1), err: early, kind: StartExitedEarly, hint: "terminal"},
		{name: "exit 1 with words", exit: self(1), stderr: "TypeError: x\n", err: early, kind: StartExitedEarly, hint: "its end"},
		{name: "a second instance, opencode#39390", exit: self(1), stderr: "ServeError: port\n", err: early, kind: StartExitedEarly, hint: "another instance"},
		{name: "unknown option on the output", exit: self(1), noise: []string{"error: unknown option '--acp'"}, err: early, kind: StartExitedEarly, hint: "arguments"},
		{name: "broken installation", exit: self(1), stderr: "Error: Cannot find module 'x'", err: early, kind: StartExitedEarly, hint: "install it again"},
		{name: "no sign-in", exit: self(1), stderr: "You are not logged in.", err: early, kind: StartExitedEarly, hint: "sign-in"},
		{name: "killed from elsewhere", exit: &Exit{Code: -1, Signal: "SIGKILL", By: proc.Self.String()}, err: early, kind: StartExitedEarly, hint: "memory"},
		{name: "exit after frames", exit: self(127), err: early, seen: outputSeen{frames: 1}, kind: StartExitedEarly, hint: "terminal"},

		{name: "alive and silent, gemini-cli#22782", exit: stopped(), err: late, kind: StartSilent, hint: "sandbox"},
		{name: "alive with words on its standard error", exit: stopped(), stderr: "waiting\n", err: late, kind: StartSilent, hint: "standard error"},
		{name: "no process at all", err: late, kind: StartSilent, hint: "nothing"},
		{name: "screen, acpx#44", exit: stopped(), noise: []string{"·[?1049h·[H"}, err: late, seen: outputSeen{controls: 4}, kind: StartTUI, hint: "ACP mode"},
		{name: "box, acpx#69", exit: stopped(), noise: []string{"╭──────╮", "│ > hi │", "╰──────╯"}, err: late, kind: StartTUI, hint: "ACP mode"},
		{name: "screen and exit", exit: self(1), noise: []string{"·[2J"}, err: early, seen: outputSeen{controls: 3}, kind: StartTUI, hint: "ACP mode"},
		{name: "screen until the fuse", exit: stopped(), noise: []string{"█▀▀█"}, err: fmt.Errorf("%w: x", ErrNotACP), kind: StartTUI, hint: "ACP mode"},
		{name: "a stray sequence", exit: stopped(), noise: []string{"hello"}, err: late, seen: outputSeen{controls: 1}, kind: StartNoise, hint: "text"},
		{name: "text until the fuse", exit: stopped(), noise: []string{"hello"}, err: fmt.Errorf("%w: x", ErrNotACP), kind: StartNoise, hint: "text"},
		{name: "echo", exit: stopped(), err: fmt.Errorf("%w: x", ErrEcho), kind: StartEcho, hint: "cat"},
		{name: "frames and no answer", exit: stopped(), noise: []string{"hello"}, err: late, seen: outputSeen{frames: 3, controls: 9}, kind: StartTimeout, hint: "time"},
		{name: "no session", phase: PhaseSession, exit: stopped(), err: late, seen: outputSeen{frames: 3}, kind: StartTimeout, hint: "MCP"},

		{name: "another version", exit: stopped(), err: &ProtocolVersionError{Got: []byte("2")}, kind: StartProtocolVersion, hint: "version 1"},
		{name: "sign-in wanted", phase: PhaseSession, exit: stopped(), err: &Error{Code: CodeAuthRequired}, kind: StartRefused, hint: "sign in"},
		{name: "protocolVersion of another type, openab#1318", exit: stopped(), err: &Error{Code: CodeInvalidParams}, kind: StartRefused, hint: "protocolVersion"},
		{name: "no agent", exit: stopped(), err: &Error{Code: CodeMethodNotFound}, kind: StartRefused, hint: "MCP"},
		{name: "an error of its own", exit: stopped(), err: &Error{Code: 400}, kind: StartRefused, hint: "answer"},
		{name: "no answer at all", exit: stopped(), err: fmt.Errorf("%w: null", ErrProtocol), kind: StartOther, hint: "version"},
		{name: "the caller gave up", exit: stopped(), noise: []string{"hello"}, err: fmt.Errorf("no answer: %w", context.Canceled), kind: StartOther},
		{name: "closed its output", exit: stopped(), err: &DeathError{Err: io.EOF}, kind: StartOther, hint: "background"},
		{name: "anything else", exit: stopped(), err: errors.New("x"), kind: StartOther},
		{name: "nothing known", kind: StartOther},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := &StartError{Phase: tc.phase, Exit: tc.exit, Stderr: tc.stderr, Noise: tc.noise, Err: tc.err}
			if e.Phase == "" {
				e.Phase = PhaseInitialize
			}
			kind, hint := diagnoseStart(e, tc.seen)
			assert.Equal(t, tc.kind, kind)
			assert.Contains(t, hint, tc.hint)
			if tc.hint == "" {
				assert.Empty(t, hint)
			}
			assert.False(t, strings.Contains(hint, "\n") || strings.HasSuffix(hint, "."), "a hint is one sentence that fits into an error: %q", hint)
		})
	}
}

// TestHintsHoldNoOutput puts what may be a secret everywhere where an agent can put it.
func TestHintsHoldNoOutput(t *testing.T) {
	t.Parallel()
	const secret = "sk-12345678-SENTINEL-abcdefgh/ijklmnop+qrstuvwx"
	for _, stderr := range []string{
		secret, "env: '" + secret + "': No such file or directory", "sh: 1: " + secret + ": not found",
		"npm error code " + secret + "\n", "npm error code E404\nnpm error 404 //user:" + secret + "@host/\n",
	} {
		for _, code := range []int{0, 1, 126, 127} {
			for _, err := range []error{errEndedEarly, context.DeadlineExceeded, &Error{Code: 1, Message: secret}, errors.New(secret)} {
				_, hint := diagnoseStart(&StartError{Phase: PhaseInitialize, Exit: self(code), Stderr: stderr, Noise: []string{secret}, Err: err}, outputSeen{})
				assert.NotContains(t, hint, "SENTINEL", stderr)
			}
		}
	}
}

func TestTerminalControls(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line   string
		screen bool
		count  int
	}{
		{line: "", count: 0},
		{line: "plain text [31m", count: 0},
		{line: "\x1b[1;31merror\x1b[0m: \x1b[38;5;9mx\x1b[m\x1b[K", count: 0},
		{line: "\x1b]0;a title\x07\x1b]8;;http://x\x1b\\link", count: 0},
		{line: "\x1b[?1034h", count: 0},
		{line: "\x1b[2J", count: 1},
		{line: "\x1b[2A\x1b[10;20H\x1b7\x1b8", count: 4, screen: true},
		{line: "\x1b[?1049h", count: terminalSigns, screen: true},
		{line: "text\x1b[?25l", count: terminalSigns, screen: true},
		{line: "\x1b", count: 0},
		{line: "\x1b[", count: 0},
		{line: "\x1b[?10", count: 0},
		{line: "\x1b]0;no end", count: 0},
	} {
		count := terminalControls([]byte(tc.line))
		assert.Equal(t, tc.count, count, "%q", tc.line)
		assert.Equal(t, tc.screen, count >= terminalSigns, "%q", tc.line)
	}
}
