package proc_test

import "syscall"

func escapeAttr() *syscall.SysProcAttr { return nil }

func unixChild(string, []string) int { return 99 }
