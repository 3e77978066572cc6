package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// statSize is more than a line of /proc/PID/stat has.
const statSize = 1024

// readTable lists the processes of our pid namespace.
func readTable() (*table, error) { return readTableIn("/proc") }

func newTable() *table { return &table{procs: map[int]*info{}, env: map[int]string{}} }

func readTableIn(proc string) (*table, error) {
	dir, err := os.Open(proc)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	t := newTable()
	buf := make([]byte, statSize)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		n, err := readInto(proc+"/"+name+"/stat", buf)
		if err != nil {
			continue // gone in the meantime
		}
		if p := parseStat(buf[:n]); p != nil {
			p.PID = pid
			t.procs[pid] = p
		}
	}
	return t, nil
}

// readInto reads a small file of /proc without the runtime's poller, which costs as much again.
func readInto(path string, buf []byte) (int, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(fd) }()
	return retry(func() (int, error) { return unix.Read(fd, buf) })
}

func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// parseStat reads /proc/pid/stat, "pid (comm) state ppid pgrp ...", where comm may hold anything, even parentheses. A
// process whose first thread has ended shows as a zombie although it lives on in its other threads. It returns nil if
// the line is none, or cut before the number of threads.
func parseStat(stat []byte) *info {
	// Counted from the field after comm.
	const state, parent, group, flags, threads, start, rss, envEnd = 0, 1, 2, 6, 17, 19, 21, 48
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	f := strings.Fields(string(stat[end+1:]))
	if open < 0 || end < open || len(f) <= threads {
		return nil
	}
	p := &info{name: string(stat[open+1 : end]), state: f[state][0]}
	var err, parentErr error
	p.pgrp, err = strconv.Atoi(f[group])
	p.ppid, parentErr = strconv.Atoi(f[parent])
	if err != nil || parentErr != nil {
		return nil
	}
	if len(f) > start {
		p.Start, _ = strconv.ParseUint(f[start], 10, 64)
	}
	if len(f) > rss {
		pages, _ := strconv.ParseInt(f[rss], 10, 64)
		p.rss = pages * int64(os.Getpagesize())
	}
	if len(f) > envEnd {
		const kernelThread = 0x00200000 // PF_KTHREAD
		bits, err := strconv.ParseUint(f[flags], 10, 64)
		p.bare = f[envEnd] == "0" && err == nil && bits&kernelThread == 0
	}
	switch p.state {
	case 'X':
	case 'Z':
		n, err := strconv.Atoi(f[threads])
		p.alive = err == nil && n > 1
	default:
		p.alive = true
	}
	return p
}

// identify returns the identity of whoever has this pid now.
func identify(pid int) (Identity, error) {
	p, err := readStat(pid)
	if err == nil && p.Start == 0 {
		err = errors.ErrUnsupported
	}
	if err != nil {
		return Identity{}, fmt.Errorf("cannot identify process %d: %w", pid, err)
	}
	return p.Identity, nil
}

func readStat(pid int) (*info, error) {
	buf := make([]byte, statSize)
	n, err := readInto(fmt.Sprintf("/proc/%d/stat", pid), buf)
	if err != nil {
		return nil, err
	}
	p := parseStat(buf[:n])
	if p == nil {
		return nil, errors.ErrUnsupported
	}
	p.PID = pid
	return p, nil
}

// readPlace says where pids and start times are valid: until the next boot, and in our pid namespace.
func readPlace() (place, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return place{}, fmt.Errorf("cannot identify this boot: %w", err)
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return place{}, fmt.Errorf("cannot identify the pid namespace: %w", err)
	}
	return place{boot: strings.TrimSpace(string(boot)), space: space}, nil
}

// readEnviron returns the environment of a process, or nothing if we may not read it. In the middle of an exec there is
// none to read for an instant, although there is going to be one.
func readEnviron(pid int) (block string, vague bool) {
	bare := true
	for range 3 {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || len(b) > 0 || !bare {
			return string(b), false
		}
		// Only what is read after the end of the exec is an answer.
		p, err := readStat(pid)
		if err != nil || !p.alive {
			return "", false
		}
		bare = p.bare
	}
	return "", true
}

func readCommandLine(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " "))
}

func ownGroup() int { return unix.Getpgrp() }

// signalExact sends SIGTERM or SIGKILL to this very process and nobody else. A process that is gone is no error.
func signalExact(id Identity, kill bool) error {
	sig := unix.SIGTERM
	if kill {
		sig = unix.SIGKILL
	}
	err := signalIdentity(id, sig, unix.PidfdOpen)
	if err == nil || errors.Is(err, unix.ESRCH) {
		return nil
	}
	return fmt.Errorf("cannot signal process %d: %w", id.PID, err)
}

func signalIdentity(id Identity, sig unix.Signal, open func(pid, flags int) (int, error)) error {
	if id.PID <= 1 {
		return unix.EPERM
	}
	fd, err := open(id.PID, 0)
	if errors.Is(err, unix.ESRCH) {
		return err
	}
	if err == nil {
		defer func() { _ = unix.Close(fd) }()
	}
	// With the descriptor, what is checked here is what is signalled, even if the pid passes on in between.
	if now, idErr := identify(id.PID); idErr != nil || now != id {
		return unix.ESRCH
	}
	if err == nil {
		err = unix.PidfdSendSignal(fd, sig, nil, 0)
		if !errors.Is(err, unix.ENOSYS) {
			return err
		}
	}
	return unix.Kill(id.PID, sig) // a kernel or sandbox without pidfd, or no descriptor left
}
