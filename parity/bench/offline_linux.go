package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// offlineEnv marks the second program by the pid of the first, so that there is no third.
const offlineEnv = "ACPHARNESS_OFFLINE"

// noLoopback is the exit code of a second program that cannot use its namespace. Some systems let anybody make one and
// nobody work in it.
const noLoopback = 199

func offline() (code int, ran bool, err error) {
	second := os.Getenv(offlineEnv) == strconv.Itoa(os.Getppid())
	reachable, err := outside()
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("cannot tell whether there is a network: %w", err)
	case !reachable:
		if err := settle(); err != nil && second {
			return noLoopback, true, nil
		}
		_ = os.Unsetenv(offlineEnv) // it says nothing to what this program starts
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
	cmd.Env = append(os.Environ(), offlineEnv+"="+strconv.Itoa(os.Getpid()))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = namespace()

	// Passed on, though a terminal or a service manager sends them to both: who gets two at once should take them for one.
	signals := make(chan os.Signal, 8)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as nohup does it
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	runtime.LockOSThread() // the second program is told when the thread ends that has started it
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s)
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
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGTERM}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		attr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN} // who is not root loses the rest when the program begins
	}
	return attr
}

// settle raises the loopback interface of a namespace that is new. What else somebody could do in it who is not root, this
// program forgets by beginning once more: sandboxes inside agents refuse to start with it.
func settle() error {
	raised, err := raiseLoopback()
	if err != nil || !raised || os.Getuid() == 0 {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	runtime.LockOSThread() // capabilities belong to threads, and it is this one that goes on
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, os.Environ())
}

// raiseLoopback brings up the interface lo, which is down in a new namespace, and reports whether it had to.
func raiseLoopback() (bool, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false, err
	}
	defer func() { _ = unix.Close(fd) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return false, err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, request); err != nil {
		return false, err
	}
	if request.Uint16()&unix.IFF_UP != 0 {
		return false, nil
	}
	request.SetUint16(request.Uint16() | unix.IFF_UP)
	return true, unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}
