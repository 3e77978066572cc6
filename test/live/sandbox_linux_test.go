package live

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// insideEnv tells this program that it is in a network namespace of its own.
const insideEnv = "ACPHARNESS_LIVE_INSIDE"

// noLoopback is the exit code of a program that cannot use its namespace.
const noLoopback = 199

// sandboxed runs this program again in a network namespace that has nothing but a loopback interface, and returns its exit
// code; false if this is that one, or if the system allows none.
func sandboxed() (code int, ran bool) {
	if os.Getenv(insideEnv) != "" {
		if err := raiseLoopback(); err != nil {
			fmt.Fprintln(os.Stderr, "live: cannot raise the loopback interface:", err)
			return noLoopback, true
		}
		return 0, false
	}
	self, err := os.Executable()
	if err != nil {
		return noSandbox(err)
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env = append(os.Environ(), insideEnv+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		attr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN} // who is not root loses the rest with exec
	}
	cmd.SysProcAttr = attr
	runtime.LockOSThread() // the child dies with the thread that has started it
	if err := cmd.Start(); err != nil {
		return noSandbox(err)
	}
	err = cmd.Wait()
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case failed && exit.ExitCode() == noLoopback:
		return noSandbox(err)
	case failed && exit.ExitCode() >= 0:
		return exit.ExitCode(), true
	case err != nil:
		fmt.Fprintln(os.Stderr, "live:", err)
		return 1, true
	}
	return 0, true
}

func noSandbox(err error) (int, bool) {
	fmt.Fprintln(os.Stderr, "live: no network namespace, agents can reach whatever this machine can:", err)
	return 0, false
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
	request.SetUint16(request.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}
