//go:build !linux

package live

import "testing"

// bearers finds nobody where processes do not show their environment.
func bearers(t *testing.T, _ string) []string {
	t.Log("who is left behind is looked for on Linux only")
	return nil
}
