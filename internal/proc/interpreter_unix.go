//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// checkInterpreter finds the one start failure that the system does not report: "#!/usr/bin/env node" with no node
// on the child's PATH starts env, which then exits with 127 (logancyang/obsidian-copilot#2496, felinics/Memoh#1316).
// It objects only when certain; anything unusual is left to the system and to env.
func checkInterpreter(s *Spec) error {
	line, ok := shebang(readHead(s.Path))
	if !ok {
		return nil
	}
	name, ok := envProgram(line)
	if !ok {
		return nil
	}
	env := s.Env
	if env == nil {
		env = os.Environ()
	}
	path, ok := lastPath(env)
	if !ok {
		return nil // env falls back to a list of its own
	}
	dirs := filepath.SplitList(path)
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.Dir, dir)
		}
		abs, err := filepath.Abs(filepath.Join(dir, name))
		if err == nil {
			_, err = exec.LookPath(abs)
		}
		if err == nil {
			return nil
		}
	}
	return &StartError{InterpreterMissing, s.Path, fmt.Errorf(
		"its first line is %q, but %q was not found on the child's PATH (%d directories)", "#!"+line, name, len(dirs))}
}

// envProgram returns the program that a "#!/usr/bin/env prog" line starts.
func envProgram(line string) (string, bool) {
	fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(fields) < 2 || filepath.Base(fields[0]) != "env" {
		return "", false
	}
	args := fields[1:]
	if args[0] == "-S" {
		args = args[1:]
		for len(args) > 0 && strings.Contains(args[0], "=") && !strings.HasPrefix(args[0], "PATH=") {
			args = args[1:]
		}
	} else if len(args) > 1 {
		return "", false // one argument on Linux, several on others
	}
	if len(args) == 0 || strings.ContainsAny(args[0], "/-=\"'\\$") {
		return "", false
	}
	return args[0], true
}

func lastPath(env []string) (string, bool) {
	path, found := "", false
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path, found = v, true
		}
	}
	return path, found
}

func isExecFormat(err error) bool {
	const darwinEBADARCH = syscall.Errno(86) // bad CPU type in executable
	return errors.Is(err, syscall.ENOEXEC) || (runtime.GOOS == "darwin" && errors.Is(err, darwinEBADARCH))
}
