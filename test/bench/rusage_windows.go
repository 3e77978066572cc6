package main

import (
	"syscall"
	"time"
)

// cpuTime returns the time that this process has spent on processors, user and system.
func cpuTime() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, exited, system, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &exited, &system, &user); err != nil {
		return 0
	}
	return span(system) + span(user)
}

// span reads a Filetime that is a duration: units of 100 ns.
func span(f syscall.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}
