package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object. Its processes die with its last handle, that is with us at the latest.
//
// The child is put into the job right after its start, so a grandchild started within that instant stays outside.
type group struct {
	cmd *exec.Cmd
	job windows.Handle
}

// status is how the leader ended.
type status struct {
	code   int
	signal string
}

// groupHeld says that the job stays ours until release.
const groupHeld = true

// sysProcAttr keeps the child away from the Ctrl-C of our console, as a process group of its own does on unix.
func sysProcAttr(s *Spec) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if s.RawArgs != "" {
		attr.CmdLine = syscall.EscapeArg(s.Path) + " " + s.RawArgs
	}
	return attr
}

// newGroup kills the child if it cannot be supervised.
func newGroup(cmd *exec.Cmd) (*group, error) {
	g, err := assignJob(cmd)
	if err != nil {
		_ = cmd.Process.Kill()
		_, _ = cmd.Process.Wait()
		return nil, err
	}
	return g, nil
}

func assignJob(cmd *exec.Cmd) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot create job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assignProcess(job, uint32(cmd.Process.Pid))
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("cannot set up job object: %w", err)
	}
	return &group{cmd: cmd, job: job}, nil
}

// assignProcess is safe to address by pid: cmd holds a handle, so the pid cannot be re-used.
func assignProcess(job windows.Handle, pid uint32) error {
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.SYNCHRONIZE
	h, err := windows.OpenProcess(access, false, pid)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(h) }()
	err = windows.AssignProcessToJobObject(job, h)
	if err != nil {
		// A process that has ended already cannot be assigned, and need not be.
		if ev, waitErr := windows.WaitForSingleObject(h, 0); waitErr == nil && ev == windows.WAIT_OBJECT_0 {
			return nil
		}
	}
	return err
}

func (g *group) awaitLeader() status {
	state, err := g.cmd.Process.Wait()
	if err != nil {
		return status{code: -1}
	}
	return status{code: state.ExitCode()}
}

// leaderGone is not asked for here; the wait is prompt.
func (g *group) leaderGone() bool { return false }

// canTerminate is false: Windows has no such request for processes without a console or window.
const canTerminate = false

func (g *group) terminate() {}

func (g *group) kill() {
	_ = windows.TerminateJobObject(g.job, 1)
	_ = g.cmd.Process.Kill()
}

// members lists the processes in the job, at most 256.
func (g *group) members() []int {
	var list struct {
		assigned, listed uint32
		pids             [256]uintptr
	}
	err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
		return nil
	}
	pids := make([]int, 0, list.listed)
	for _, pid := range list.pids[:min(int(list.listed), len(list.pids))] {
		pids = append(pids, int(pid))
	}
	return pids
}

func (g *group) release() { _ = windows.CloseHandle(g.job) }

// unread is unknown: asking would block behind a read in progress.
func unread(*os.File) int { return 0 }
