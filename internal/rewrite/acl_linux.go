package rewrite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	aclName = "system.posix_acl_access"
	maxACL  = 64 << 10 // what Linux takes for the value of an attribute
)

// keepACL gives a file that is new the access control list of another, or none. Without its list, the mode of a file says
// something else: what it was to give at most to those in the list, it would give to the group. And a folder may have a
// list for new files.
func keepACL(f *os.File, file string) error {
	list := make([]byte, maxACL)
	n, err := unix.Getxattr(file, aclName, list)
	switch {
	case err == nil:
		err = unix.Fsetxattr(int(f.Fd()), aclName, list[:n], 0)
	case errors.Is(err, unix.ENODATA):
		err = unix.Fremovexattr(int(f.Fd()), aclName)
	}
	if err != nil && !errors.Is(err, unix.ENODATA) && !errors.Is(err, unix.EOPNOTSUPP) {
		return fmt.Errorf("cannot keep the access control list: %w", err)
	}
	return nil
}
