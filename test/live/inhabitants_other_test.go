//go:build !linux

package live

import "testing"

// inhabitants finds nobody where processes cannot be looked into.
func inhabitants(t *testing.T, _ string) []string {
	t.Helper()
	t.Log("who is left behind is looked for on Linux only")
	return nil
}
