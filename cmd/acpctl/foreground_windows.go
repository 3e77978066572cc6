package main

import "os/exec"

// startForeground starts a command. end stops it.
func startForeground(cmd *exec.Cmd) (end func(now bool), restore func(), err error) {
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	return func(bool) { _ = cmd.Process.Kill() }, func() {}, nil
}

// wasInterrupted reports whether a command ended by an interrupt, which Windows does not tell.
func wasInterrupted(error) bool { return false }
