package proc

import (
	"errors"

	"golang.org/x/sys/windows"
)

// checkInterpreter has nothing to do: Windows does not read "#!" lines.
func checkInterpreter(*Spec) error { return nil }

func isExecFormat(err error) bool {
	return errors.Is(err, windows.ERROR_BAD_EXE_FORMAT) || errors.Is(err, windows.ERROR_EXE_MACHINE_TYPE_MISMATCH)
}
