package proc_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/acpharness/acpharness/internal/proc"
)

func TestNoTerminals(t *testing.T) {
	spec, _ := consoleSpec(t, "cat")
	spec.Console.Terminal = &proc.WindowSize{Columns: 80, Rows: 24}
	_, err := proc.Start(spec)
	require.ErrorIs(t, err, proc.ErrNoPTY)
}

func lives(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(h) }()
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event != windows.WAIT_OBJECT_0
}
