package live

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/acpharness/acpharness/parity/bench"
)

var (
	flagLive   = flag.Bool("live", os.Getenv("LIVE") != "", "run real agents (or LIVE=1)")
	flagAgents = flag.String("agents", os.Getenv("LIVE_AGENTS"), "run these agents, separated by commas, and fail if one is not installed (or LIVE_AGENTS)")
	flagUpdate = flag.Bool("update", false, "write the table of docs/agents.md anew")
	flagFrames = flag.String("frames", "", "write the frames of each agent into files in this `folder`")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if !*flagLive {
		os.Exit(m.Run())
	}
	code, err := runLive(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
	}
	os.Exit(code)
}

// acpctlEnv has the path of acpctl, which serves the fake MCP servers that agents start. Without it acpctl is built.
const acpctlEnv = "ACPHARNESS_LIVE_ACPCTL"

// runLive runs the tests where there is no network, after what needs one.
func runLive(m *testing.M) (code int, err error) {
	if os.Getenv(acpctlEnv) == "" {
		dir, err := os.MkdirTemp("", "acpharness-live-")
		if err != nil {
			return 1, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		if err := buildAcpctl(filepath.Join(dir, "acpctl")); err != nil {
			return 1, err
		}
	}
	code, ran, err := bench.Offline()
	if ran {
		return code, nil
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "live: agents can reach the network:", err)
	}
	code = m.Run()
	fmt.Println(census.String())
	return code, nil
}

func buildAcpctl(path string) error {
	build := exec.Command("go", "build", "-o", path, "../../cmd/acpctl")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("cannot build acpctl: %w", err)
	}
	return os.Setenv(acpctlEnv, path)
}

// counter counts the agents that were run and those that were not.
type counter struct {
	mu           sync.Mutex
	ran, missing []string
}

var census counter

func (c *counter) add(list *[]string, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(*list, id) {
		*list = append(*list, id)
	}
}

func (c *counter) String() string {
	slices.Sort(c.missing) // they come in any order
	text := fmt.Sprintf("live: %d agents run, %d not installed", len(c.ran), len(c.missing))
	if len(c.missing) > 0 {
		text += fmt.Sprintf(" (%s): bash test/live/install.sh %s", strings.Join(c.missing, ", "), strings.Join(c.missing, " "))
	}
	return text
}

// needsLive skips a test of the lane when nobody asked for it.
func needsLive(t *testing.T) {
	t.Helper()
	if !*flagLive {
		t.Skip("real agents run with -live only")
	}
}
