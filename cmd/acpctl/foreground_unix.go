//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// endGrace is how long a command has to end after SIGTERM.
const endGrace = 2 * time.Second

// startForeground starts a command as a process group of its own, in the foreground of the terminal if its input is one: what is typed
// goes to it, interrupts included. end stops the group, by steps or at once; restore gives the terminal back.
func startForeground(cmd *exec.Cmd) (end func(now bool), restore func(), err error) {
	restore = func() {}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if in, ok := cmd.Stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		fd := int(in.Fd())
		cmd.SysProcAttr.Foreground, cmd.SysProcAttr.Ctty = true, fd
		restore = func() {
			signal.Ignore(unix.SIGTTOU) // which stops who takes the terminal from the background
			defer signal.Reset(unix.SIGTTOU)
			_ = unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, unix.Getpgrp())
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	group := cmd.Process.Pid
	var mu sync.Mutex
	var later *time.Timer
	end = func(now bool) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case !now && later == nil:
			_ = unix.Kill(-group, unix.SIGTERM)
			later = time.AfterFunc(endGrace, func() { _ = unix.Kill(-group, unix.SIGKILL) })
		case now:
			if later != nil {
				later.Stop() // the group's number may become another's
			}
			_ = unix.Kill(-group, unix.SIGKILL)
		}
	}
	return end, restore, nil
}

// wasInterrupted reports whether a command ended by an interrupt from the terminal.
func wasInterrupted(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGINT
}
