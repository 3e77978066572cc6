//go:build !linux

package acp_test

import "errors"

func mountSmall(string, int) error { return errors.ErrUnsupported }

func unmount(string) error { return nil }
