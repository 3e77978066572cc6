//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS is the largest resident set of an ended process, in bytes.
func maxRSS(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) //nolint:unconvert // bytes; int32 on 32-bit machines
	}
	return int64(usage.Maxrss) * 1024 //nolint:unconvert // kilobytes; int32 on 32-bit machines
}
