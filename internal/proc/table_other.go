//go:build !linux

package proc

import (
	"errors"
	"fmt"
)

// Only Linux lets us see parents, start times and environments in a way that was tried. Elsewhere there is no table,
// and with it no sweep outside the group, no ledger and no figures.

func readTable() (*table, error) {
	return nil, fmt.Errorf("cannot list processes: %w", errors.ErrUnsupported)
}

func identify(pid int) (Identity, error) {
	return Identity{}, fmt.Errorf("cannot identify process %d: %w", pid, errors.ErrUnsupported)
}

func readPlace() (place, error) {
	return place{}, fmt.Errorf("cannot identify this boot: %w", errors.ErrUnsupported)
}

func readEnviron(int) (block string, vague bool) { return "", false }

func readCommandLine(int) string { return "" }

func ownGroup() int { return 0 }

func signalExact(id Identity, _ bool) error {
	return fmt.Errorf("cannot signal process %d: %w", id.PID, errors.ErrUnsupported)
}
