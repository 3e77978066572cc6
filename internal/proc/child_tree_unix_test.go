//go:build unix

package proc_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/internal/proc"
)

// reportFD is where a node finds the pipe for its report, if it is not the first of its tree.
const reportFD = 3

func treeChild(mode string, args []string) int {
	switch mode {
	case "node":
		return node(args)
	case "host": // supervises a tree of the other arguments, tells its pids, and waits to be killed
		spec := &proc.Spec{Path: os.Args[0], Args: args[1:], Env: append(os.Environ(), childMode+"=node"), StateDir: args[0], Label: "demo"}
		p, err := proc.Start(spec)
		if err != nil {
			panic(err)
		}
		line, err := bufio.NewReader(p.Stdout()).ReadString('\n')
		if err != nil {
			panic(err)
		}
		fmt.Fprint(os.Stdout, line)
		sleep()
	}
	return 99
}

// node is one process of a tree. Its first argument lists its traits, the others are those of the processes below it.
// The first node prints the pids of all when they have all started, from top to bottom.
//
//	eof     ends at the end of stdin
//	term    ignores SIGTERM
//	exit    ends when those below it have started
//	setsid  was started in a session of its own
//	pgrp    was started in a group of its own
//	host    was started in the group of whoever supervises the tree
//	clean   was started with an environment of its own
//	hold    was started with the pipes of its parent
func node(traits []string) int {
	has := hasTrait(traits[0])
	if has("term") {
		signal.Ignore(syscall.SIGTERM)
	}
	pids := strconv.Itoa(os.Getpid())
	if len(traits) > 1 {
		pids += " " + startNode(traits[1:])
	}
	report := os.Stdout
	if os.Getenv("PROC_TEST_REPORT") != "" {
		report = os.NewFile(reportFD, "report")
	}
	fmt.Fprintln(report, pids)
	if report != os.Stdout {
		_ = report.Close()
	}
	switch {
	case has("exit"):
	case has("eof"):
		_, _ = io.Copy(io.Discard, os.Stdin)
	default:
		sleep()
	}
	return 0
}

func hasTrait(list string) func(string) bool {
	return func(trait string) bool { return slices.Contains(strings.Split(list, ","), trait) }
}

// startNode starts the next node and returns its report.
func startNode(traits []string) string {
	has := hasTrait(traits[0])
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Args[0], traits...)
	env := os.Environ()
	if has("clean") {
		env = nil
	}
	cmd.Env = append(env, childMode+"=node", "PROC_TEST_REPORT=1", "GORACE=atexit_sleep_ms=0")
	cmd.ExtraFiles = []*os.File{w}
	if has("hold") {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: has("setsid"), Setpgid: has("pgrp") || has("host")}
	if has("host") {
		cmd.SysProcAttr.Pgid, _ = unix.Getpgid(os.Getppid())
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	_ = w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		os.Exit(98) // killed before its time
	}
	_ = r.Close()
	if has("exit") {
		_ = cmd.Wait()
	}
	return strings.TrimSpace(line)
}

// readPIDs reads the report of a tree.
func readPIDs(t *testing.T, p *proc.Process) []int {
	t.Helper()
	return parsePIDs(t, readLine(t, p))
}

func parsePIDs(t *testing.T, line string) []int {
	t.Helper()
	var pids []int
	for field := range strings.FieldsSeq(line) {
		pid, err := strconv.Atoi(field)
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	return pids
}
