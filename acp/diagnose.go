package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"

	"github.com/acpharness/acpharness/internal/proc"
)

// StartKind is the kind of a failed start, for programs that react to it. It is open.
type StartKind string

// The kinds of failed starts.
const (
	// StartNotFound means that there is no such executable.
	StartNotFound StartKind = "not_found"
	// StartNotExecutable means that the file may not be executed, or is neither a program nor a script.
	StartNotExecutable StartKind = "not_executable"
	// StartWrongArchitecture means that the executable is one for another machine or system.
	StartWrongArchitecture StartKind = "wrong_architecture"
	// StartInterpreterMissing means that the executable is there, but not what runs it, such as Node.
	StartInterpreterMissing StartKind = "interpreter_missing"
	// StartCommandFailed means that a launcher could not run its command: exit code 126 or 127.
	StartCommandFailed StartKind = "command_failed"
	// StartNpm means that npm or npx failed before the agent ran.
	StartNpm StartKind = "npm_failed"
	// StartExitedEarly means that the process ended by itself before it answered, be it with code 0.
	StartExitedEarly StartKind = "exited_early"
	// StartSilent means that the process ran and wrote nothing to its output until the time was over.
	StartSilent StartKind = "silent"
	// StartTUI means that the agent came up for people: its output draws on a terminal.
	StartTUI StartKind = "terminal_interface"
	// StartEcho means that our own request came back, see ErrEcho.
	StartEcho StartKind = "echo"
	// StartNoise means that the output held text and no frame, see also ErrNotACP.
	StartNoise StartKind = "noise"
	// StartTimeout means that the agent spoke the protocol and did not answer in time.
	StartTimeout StartKind = "timeout"
	// StartProtocolVersion means that the agent wants another version, see ProtocolVersionError.
	StartProtocolVersion StartKind = "protocol_version"
	// StartRefused means that the agent answered with an error, see Error.
	StartRefused StartKind = "refused"
	// StartOther is everything else, an end of the caller's context among it.
	StartOther StartKind = "other"
)

// outputSeen is what is known of an agent's output beyond the noise.
type outputSeen struct {
	frames   int64 // valid ones
	controls int   // as terminalControls counts them
}

const (
	hintPath = "and make sure that it is on the agent's PATH, which is often shorter from a desktop or a service than in a terminal"
	hintArgs = "the arguments do not start the agent in ACP mode: this version may not know them, or may need others"
)

// diagnoseStart finds out what kind of failure a failed start is, from what is known of it, and what to do next in one
// sentence, which is empty if nobody can say. The hint is made of fixed texts, names of programs and codes: there is
// nothing of the agent's output in it that could be a secret.
func diagnoseStart(e *StartError, seen outputSeen) (kind StartKind, hint string) {
	if kind, hint := diagnoseCause(e); kind != "" {
		return kind, hint
	}
	ended := e.Exit != nil && e.Exit.Self()
	late := errors.Is(e.Err, context.DeadlineExceeded)
	if seen.frames == 0 && ended {
		if kind, hint := diagnoseLauncher(e); kind != "" {
			return kind, hint
		}
	}
	if seen.frames == 0 && (late || ended && e.Exit.Code != 0) {
		if hint := npmHint(e.Stderr); hint != "" {
			return StartNpm, hint
		}
	}
	_, closed := errors.AsType[*DeathError](e.Err)
	switch {
	case seen.frames == 0 && (seen.controls >= terminalSigns || boxes(e.Noise) >= terminalSigns):
		return StartTUI, "it came up with its terminal interface: " + hintArgs
	case ended:
		return StartExitedEarly, exitHint(e)
	case late && seen.frames > 0:
		return StartTimeout, timeoutHint(e.Phase)
	case late && len(e.Noise) == 0:
		return StartSilent, silentHint(e)
	case late, errors.Is(e.Err, ErrNotACP):
		return StartNoise, "it writes text instead of frames: " + hintArgs
	case closed:
		return StartOther, "it closed its output and went on: a launcher may have put the agent into the background"
	default:
		return StartOther, ""
	}
}

// diagnoseCause knows the kinds that the cause alone tells.
func diagnoseCause(e *StartError) (StartKind, string) {
	if start, ok := errors.AsType[*proc.StartError](e.Err); ok {
		return diagnoseSpawn(start.Reason)
	}
	if refusal, ok := errors.AsType[*Error](e.Err); ok {
		return StartRefused, refusalHint(refusal.Code)
	}
	if _, ok := errors.AsType[*ProtocolVersionError](e.Err); ok {
		return StartProtocolVersion, "install a version of the agent that speaks version 1 of the protocol"
	}
	early := e.Phase == PhaseResolve || e.Phase == PhaseSpawn
	switch {
	case errors.Is(e.Err, ErrEcho):
		return StartEcho, "the command copies its input, as cat or a terminal does: check that it is the agent's"
	case errors.Is(e.Err, context.Canceled), errors.Is(e.Err, ErrClosed):
		return StartOther, ""
	case errors.Is(e.Err, ErrProtocol):
		return StartOther, "the agent answered with something that is no answer: try another version of it"
	case early && errors.Is(e.Err, context.DeadlineExceeded):
		return StartOther, "the time was over before the agent was started: give it more"
	case early && errors.Is(e.Err, fs.ErrPermission):
		return diagnoseSpawn(proc.NotExecutable)
	case early && errors.Is(e.Err, exec.ErrNotFound):
		return diagnoseSpawn(proc.NotFound)
	case early:
		return StartOther, ""
	}
	return "", ""
}

func diagnoseSpawn(reason proc.Reason) (StartKind, string) {
	switch reason {
	case proc.NotFound:
		return StartNotFound, "give the path of the executable, or install the agent " + hintPath
	case proc.NotExecutable:
		return StartNotExecutable, "make the file executable, or give the path of another one"
	case proc.ExecFormat:
		return StartNotExecutable, `the file is no program: a script has to begin with a line such as "#!/usr/bin/env node"`
	case proc.WrongArchitecture:
		return StartWrongArchitecture, hintArchitecture
	case proc.InterpreterMissing:
		return StartInterpreterMissing, "install what the executable is run by, such as Node, " + hintPath
	case proc.DirMissing:
		return StartOther, "the working directory does not exist: create it or choose another one"
	default:
		return StartOther, ""
	}
}

const hintArchitecture = "install the agent's build for this machine's system and processor"

// diagnoseLauncher knows the failures of what starts an agent: env, a shell, npx (zed#52294, obsidian-copilot#2496).
func diagnoseLauncher(e *StartError) (StartKind, string) {
	stderr := plainText(e.Stderr)
	name, missing := missingCommand(stderr)
	const (
		cannotExecute = 126
		cannotFind    = 127
	)
	switch e.Exit.Code {
	case cannotExecute:
		missing = false
	case cannotFind:
	default: // cmd.exe has no code of its own
		if e.Exit.Code == 0 || !strings.Contains(stderr, notRecognized) {
			return "", ""
		}
	}
	switch {
	case strings.Contains(stderr, "Exec format error"), strings.Contains(stderr, "cannot execute binary file"),
		strings.Contains(stderr, "Bad CPU type in executable"):
		return StartWrongArchitecture, hintArchitecture
	case strings.Contains(stderr, "bad interpreter"), missing && name == "":
		return diagnoseSpawn(proc.InterpreterMissing)
	case missing && interpreter(name) != "":
		return StartInterpreterMissing, "install " + interpreter(name) + " " + hintPath
	case missing:
		return StartCommandFailed, fmt.Sprintf("the launcher did not find %q: if that is npx, its cache is broken: run `npm cache verify`; else install it %s", name, hintPath)
	default:
		return StartCommandFailed, "the launcher could not run its command: run it in a terminal to see why"
	}
}

const notRecognized = "is not recognized as an internal or external command"

// missingCommand finds the program that env or a shell did not find. The name is empty if it is not a plain one.
func missingCommand(stderr string) (name string, missing bool) {
	for _, pattern := range []string{
		// The texts of env, which differ by system and language, begin alike: env: 'node': No such file or directory.
		`(?m)^(?:\S*/)?env: (?:can't execute )?\W*([^:'"’”«»]*)`,
		`(?m)command not found: ([\w.@+-]+)\s*$`, // zsh
		// sh: 1: adapter: not found; bash: line 1: adapter: command not found.
		`(?m)^[^\n]*?([\w.@+-]+): (?:command )?not found\s*$`,
		`(?m)'([\w.@+-]+)' ` + notRecognized,
	} {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(stderr); found != nil {
			if regexp.MustCompile(`^[\w.@+-]{1,40}$`).MatchString(found[1]) {
				return found[1], true
			}
			return "", true
		}
	}
	return "", false
}

// interpreter returns what people call the product that a program belongs to, empty if agents are not run by it.
func interpreter(program string) string {
	switch strings.TrimSuffix(program, ".exe") {
	case "node", "nodejs":
		return "Node"
	case "bun":
		return "Bun"
	case "deno":
		return "Deno"
	case "python", "python3":
		return "Python"
	case "uv", "uvx":
		return "uv"
	case "java":
		return "Java"
	default:
		return ""
	}
}

func refusalHint(code ErrorCode) string {
	switch code {
	case CodeAuthRequired:
		return "sign in to the agent first: run it once in a terminal, or set the key it wants"
	case CodeInvalidParams, CodeInvalidRequest, CodeParseError:
		return "the agent does not take what it was sent: some want another protocolVersion, a number or a date in quotes"
	case CodeMethodNotFound:
		return "what answers speaks JSON-RPC but not this protocol: check that the command starts an ACP agent, not an MCP or language server"
	default:
		return "the agent's answer says why"
	}
}

func timeoutHint(phase Phase) string {
	if phase == PhaseSession {
		return "it speaks the protocol but opens no session: an MCP server that it has to start may hang; leave them out or give it more time"
	}
	return "it speaks the protocol but did not answer: give it more time, as a first start may download or wait for a sign-in"
}

// silentHint is about processes that run and write nothing (gemini-cli#22782).
func silentHint(e *StartError) string {
	if strings.TrimSpace(e.Stderr) != "" {
		return "it runs and has not answered: its standard error may say what it waits for; a first start may need more time"
	}
	return "it runs and writes nothing: check that its arguments start it in ACP mode, and switch off a sandbox of its own, which may keep its input from it"
}

// exitHint is about processes that ended before they answered (opencode#22795).
func exitHint(e *StartError) string {
	text := strings.ToLower(plainText(e.Stderr) + "\n" + strings.Join(e.Noise, "\n"))
	for _, known := range []struct {
		hint  string
		words []string
	}{
		{hintArgs, []string{
			"unknown option", "unknown argument", "unknown command", "unknown flag", "unexpected argument",
			"unrecognized argument", "unrecognized option", "no such option", "invalid option", "flag provided but not defined",
		}},
		{"another instance of the agent seems to hold what this one needs: end it, or give this one a home of its own", []string{
			"eaddrinuse", "address already in use", "already running", "serveerror",
		}},
		{"its installation is broken or incomplete: install it again", []string{"cannot find module", "err_module_not_found", "modulenotfounderror"}},
		{"it seems to want a sign-in first: run it once in a terminal", []string{"not logged in", "please log in", "please login", "not authenticated"}},
	} {
		for _, word := range known.words {
			if strings.Contains(text, word) {
				return known.hint
			}
		}
	}
	switch {
	case e.Exit.Signal == "SIGKILL":
		return "something killed it: the memory may have run out"
	case e.Exit.Signal == "SIGILL":
		return hintArchitecture
	case e.Exit.Code == 0:
		return "it ended without an error: check its arguments, as it may have had nothing to do but print something"
	case strings.TrimSpace(text) == "":
		return "run its command in a terminal to see why"
	default:
		return "what it wrote before its end may say why"
	}
}

// npmHint says what to do about a failure of npm, empty if there was none (kandev#2259, zed#52294, npm/cli#8512).
func npmHint(stderr string) string {
	stderr = plainText(stderr)
	if !strings.HasPrefix(stderr, "npm error") && !strings.HasPrefix(stderr, "npm ERR!") &&
		!strings.Contains(stderr, "\nnpm error") && !strings.Contains(stderr, "\nnpm ERR!") {
		return ""
	}
	if strings.Contains(stderr, "could not determine executable to run") {
		return "the npm package has no command of that name: check the package, or name both with `npx --package=PACKAGE COMMAND`"
	}
	var code string
	if found := regexp.MustCompile(`(?m)^npm (?:error|ERR!) code ([A-Z][A-Z0-9_]{1,40})\s*$`).FindStringSubmatch(stderr); found != nil {
		code = found[1]
	}
	switch code {
	case "E404":
		return "the npm registry has no such package: check its name and the registry"
	case "ETARGET", "ENOVERSIONS":
		if strings.Contains(stderr, "with a date before") {
			return "npm holds back releases that are too new here (min-release-age or before): ask for an older version"
		}
		return "the npm registry has no such version of the package: ask for another one"
	case "ENOTEMPTY", "EEXIST", "EINTEGRITY", "ENOENT", "EBUSY", "ECOMPROMISED":
		return "the npm cache is broken or being written by another start: run `npm cache verify`, and if that does not help remove the folder _npx in it"
	case "EACCES", "EPERM", "EROFS":
		return "npm may not write to its folders: make them yours, or set another cache"
	case "ENOSPC":
		return "the disk is full: make room for npm"
	case "E401", "E403", "ENEEDAUTH":
		return "the npm registry wants a sign-in: run `npm login`, or check the registry"
	case "EBADENGINE", "EBADPLATFORM":
		return "the package does not support this version of Node or this system: install another version of one of them"
	case "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "ENOTCACHED", "ERR_SOCKET_TIMEOUT":
		return "npm does not reach its registry: check the network and the proxy, or install the agent so that its start needs neither"
	case "":
		return "npm failed: its standard error names a log with the details"
	default:
		return "npm failed with code " + code + ": its standard error names a log with the details"
	}
}

// plainText is a text without escape sequences and carriage returns.
func plainText(text string) string {
	return strings.ReplaceAll(string(plain(nil, []byte(text))), "\r", "")
}

// terminalSigns is how many signs of a terminal interface make one: a single one may be a stray of a library.
const terminalSigns = 3

// terminalControls counts the sequences in a line that steer a terminal: those that move, clear, hide or switch. Colours,
// titles and what comes with colours do not count, since plain output has them too (acpx#44).
func terminalControls(line []byte) int {
	count := 0
	line = line[:min(len(line), noiseMasked)]
	for {
		at := bytes.IndexByte(line, escape)
		if at < 0 {
			return count
		}
		line = line[at:]
		n, final := escapeSequence(line)
		switch sequence := line[:n]; {
		case final == 0 || final == ']' || final == 'm' || final == 'K':
		case bytes.Equal(sequence, []byte("\x1b[?1034h")): // readline writes it wherever it is
		case bytes.HasPrefix(sequence, []byte("\x1b[?")): // a mode: alternate screen, cursor, mouse, paste
			count += terminalSigns
		case sequence[1] == '[' || bytes.IndexByte([]byte("78c=>DEM"), final) >= 0:
			count++
		}
		line = line[n:]
	}
}

// boxes counts the characters of frames and blocks.
func boxes(noise []string) int {
	count := 0
	for _, line := range noise {
		for _, r := range line {
			if r >= 0x2500 && r <= 0x259f {
				count++
			}
		}
	}
	return count
}
