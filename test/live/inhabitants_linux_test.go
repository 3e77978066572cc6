package live

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inhabitants returns the living processes that work in a folder, have it in their environment, or were given it as an
// argument. Agents clear the environment of some that they start, but nobody's home is another one.
func inhabitants(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	var found []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		at := "/proc/" + e.Name() + "/"
		environ, _ := os.ReadFile(at + "environ")
		cmdline, _ := os.ReadFile(at + "cmdline")
		cwd, _ := os.Readlink(at + "cwd")
		if !bytes.Contains(environ, []byte(dir)) && !bytes.Contains(cmdline, []byte(dir)) && !strings.HasPrefix(cwd, dir) {
			continue
		}
		stat, err := os.ReadFile(at + "stat")
		if i := bytes.LastIndexByte(stat, ')'); err == nil && i+2 < len(stat) && stat[i+2] != 'Z' {
			found = append(found, e.Name()+" "+string(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '})))
		}
	}
	return found
}
