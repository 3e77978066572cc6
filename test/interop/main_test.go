package interop_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sdkFolder is where install.sh puts the SDK. Without it the test is skipped, but not on build machines.
func sdkFolder(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the rows have signals of Unix")
	}
	folder := os.Getenv("ACP_INTEROP")
	if folder == "" {
		cache := os.Getenv("XDG_CACHE_HOME")
		if cache == "" {
			home, err := os.UserHomeDir()
			require.NoError(t, err)
			cache = filepath.Join(home, ".cache")
		}
		folder = filepath.Join(cache, "acpharness", "interop")
	}
	pinned, err := os.ReadFile("ts/package-lock.json")
	require.NoError(t, err)
	installed, err := os.ReadFile(filepath.Join(folder, "installed"))
	if err == nil && string(installed) == string(pinned) {
		return folder
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("the TypeScript SDK is not in %s as it is pinned: run test/interop/install.sh", folder)
	}
	t.Skipf("the TypeScript SDK is not in %s as it is pinned: run test/interop/install.sh", folder)
	return ""
}
