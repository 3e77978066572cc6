package rewrite_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/internal/rewrite"
)

// insideEnv says that a test runs in a namespace; it is the file that the test is about, if there is one already.
const insideEnv = "REWRITE_TEST_INSIDE"

// inside runs a test again in a user and a mount namespace of its own, as somebody there, and reports how it went. Root
// can mount things there; others can do nothing, whoever they are outside.
func inside(t *testing.T, test string, uid int, file string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+test+"$", "-test.v", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), insideEnv+"="+file, "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Skipf("the system allows no user namespace: %s", err)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("the namespace cannot be used: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+test, "%s", out)
}

// small mounts a file system of 64 KiB and returns its folder, and what makes it read-only.
func small(t *testing.T) (dir string, freeze func()) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("nothing can be mounted here: %s", err)
	}
	t.Cleanup(func() { assert.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir, func() {
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			t.Skipf("nothing can be mounted again here: %s", err)
		}
	}
}

func TestFullDisk(t *testing.T) {
	if _, ok := os.LookupEnv(insideEnv); !ok {
		t.Parallel()
		inside(t, t.Name(), 0, "")
		return
	}
	dir, _ := small(t)
	file := put(t, filepath.Join(dir, "file"), "old", 0o640)
	f, err := os.Create(filepath.Join(dir, "large"))
	require.NoError(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 1<<10))
	}
	require.ErrorIs(t, err, unix.ENOSPC)
	require.NoError(t, f.Close())
	for _, name := range []string{file, filepath.Join(dir, "missing"), filepath.Join(dir, "a", "b", "missing")} {
		refused(t, read(t, name), "new", unix.ENOSPC, dir)
	}
	require.NoError(t, os.Remove(f.Name()))
	refused(t, read(t, file), strings.Repeat("new", 64<<10), unix.ENOSPC, dir) // it fills up while it is written
	require.NoError(t, read(t, file).Replace([]byte("new")))
}

func TestReadOnlyFileSystem(t *testing.T) {
	if _, ok := os.LookupEnv(insideEnv); !ok {
		t.Parallel()
		inside(t, t.Name(), 0, "")
		return
	}
	dir, freeze := small(t)
	file := put(t, filepath.Join(dir, "file"), "old", 0o640)
	freeze()
	for _, name := range []string{file, filepath.Join(dir, "missing"), filepath.Join(dir, "a", "b", "missing")} {
		refused(t, read(t, name), "new", rewrite.ErrReadOnly, dir)
		assert.ErrorIs(t, read(t, name).Replace(nil), unix.EROFS)
	}
}

// TestWithoutRoot has what root skips.
func TestWithoutRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("the tests run as they are")
	}
	for _, test := range []string{"TestReadOnlyFolderIsRefused", "TestReadOnlyForUs"} {
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			inside(t, test, 1000, "")
		})
	}
}

// TestOwnerThatCannotBeKept has a file of somebody else to which everybody may write.
func TestOwnerThatCannotBeKept(t *testing.T) {
	file, ok := os.LookupEnv(insideEnv)
	if ok {
		refused(t, read(t, file), "new", rewrite.ErrOwner, filepath.Dir(file))
		return
	}
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, uid := range []int{0, 1000} { // to whom the owner does not exist, and who may not give files away
		t.Run(fmt.Sprint("uid ", uid), func(t *testing.T) {
			t.Parallel()
			file := put(t, filepath.Join(t.TempDir(), "file"), "old", 0o666)
			require.NoError(t, os.Chown(file, 12345, -1))
			inside(t, "TestOwnerThatCannotBeKept", uid, file)
		})
	}
}

// TestAccessListIsKept has a file with a list in a folder without, and the other way round.
func TestAccessListIsKept(t *testing.T) {
	t.Parallel()
	const access = "system.posix_acl_access"
	var list []byte
	list = binary.LittleEndian.AppendUint32(list, 2) // the version
	for _, entry := range []struct {
		tag, perm uint16
		id        uint32
	}{{0x01, 6, ^uint32(0)}, {0x02, 6, uint32(os.Getuid())}, {0x04, 0, ^uint32(0)}, {0x10, 6, ^uint32(0)}, {0x20, 0, ^uint32(0)}} {
		list = binary.LittleEndian.AppendUint16(list, entry.tag)
		list = binary.LittleEndian.AppendUint16(list, entry.perm)
		list = binary.LittleEndian.AppendUint32(list, entry.id)
	}
	dir := t.TempDir()
	with := put(t, filepath.Join(dir, "with"), "old", 0o600)
	if err := unix.Setxattr(with, access, list, 0); err != nil {
		t.Skipf("the file system has no access control lists: %s", err)
	}
	get := func(file string) []byte {
		got := make([]byte, 1<<10)
		n, err := unix.Getxattr(file, access, got)
		if errors.Is(err, unix.ENODATA) {
			return nil
		}
		require.NoError(t, err)
		return got[:n]
	}
	require.NoError(t, read(t, with).Replace([]byte("new")))
	assert.Equal(t, list, get(with))
	assert.Equal(t, "-rw-rw---- new", tree(t, dir)["with"])

	without := put(t, filepath.Join(dir, "without"), "old", 0o640)
	require.NoError(t, unix.Setxattr(dir, "system.posix_acl_default", list, 0))
	require.NoError(t, read(t, without).Replace([]byte("new")))
	assert.Nil(t, get(without))
	assert.Equal(t, "-rw-r----- new", tree(t, dir)["without"])
}
