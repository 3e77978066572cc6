package probe_test

import (
	"errors"
	"testing"
)

func startGrandchild() error { return errors.New("only a test for unix needs a grandchild") }

func requireGone(t *testing.T, _ int) {
	t.Helper()
	t.Fatal("only a test for unix looks for processes")
}
