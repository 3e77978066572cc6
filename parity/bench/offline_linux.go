package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// offlineEnv marks the second program, so that there is no third.
const offlineEnv = "ACPHARNESS_OFFLINE"

// noLoopback is the exit code of a second program that cannot use its namespace. Some systems let anybody make one and
// nobody work in it.
const noLoopback = 199

func offline() (code int, ran bool, err error) {
	second := os.Getenv(offlineEnv) != ""
	_ = os.Unsetenv(offlineEnv) // it says nothing to what this program starts
	reachable, err := outside()
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("cannot tell whether there is a network: %w", err)
	case !reachable:
		if err := raiseLoopback(); err != nil && second {
			return noLoopback, true, nil
		}
		return 0, false, nil
	case second:
		return noLoopback, true, nil
	}
	if code, err = again(); err != nil {
		return 0, false, fmt.Errorf("cannot leave the network: %w", err)
	}
	return code, true, nil
}

// again runs this program in a network namespace of its own and returns its exit code.
func again() (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(context.Background(), self) // it ends by signals
	cmd.Args = os.Args
	cmd.Env = append(os.Environ(), offlineEnv+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = namespace()

	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	runtime.LockOSThread() // the child dies with the thread that has started it
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if s != syscall.SIGINT || !foreground() { // a terminal has sent it to both
				_ = cmd.Process.Signal(s)
			}
		case err := <-ended:
			return exitCode(err)
		}
	}
}

func exitCode(err error) (int, error) {
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case !failed:
		return 0, err
	case exit.ExitCode() == noLoopback:
		return 0, errors.New("a network namespace cannot be used here")
	case exit.ExitCode() < 0: // as a shell has it
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 128 + int(status.Signal()), nil
		}
		return 0, err
	default:
		return exit.ExitCode(), nil
	}
}

// namespace is a new network namespace: for root as it is, for others inside a user namespace in which they are themselves.
func namespace() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		attr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN} // who is not root loses the rest when the program begins
	}
	return attr
}

// foreground reports whether this program is what the keys of its terminal interrupt.
func foreground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer func() { _ = tty.Close() }()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// raiseLoopback brings up the interface lo, which is down in a new namespace.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, request); err != nil {
		return err
	}
	if request.Uint16()&unix.IFF_UP != 0 {
		return nil
	}
	request.SetUint16(request.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}
