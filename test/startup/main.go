// Command startup measures how fast a program starts and how much memory it
// takes: it runs the program N times, one after the other, and prints the
// median wall time and the largest resident set seen.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "startup:", err)
		os.Exit(1)
	}
}

// sample is one run of the program.
type sample struct {
	wall time.Duration
	rss  int64 // bytes, 0 where the platform does not tell
}

func run(out io.Writer, args []string) error {
	if len(args) < 2 {
		return errors.New("usage: startup N command [argument ...]")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return fmt.Errorf("cannot run %q times: want a positive number", args[0])
	}
	samples := make([]sample, 0, n)
	for range n {
		s, err := measure(args[1], args[2:])
		if err != nil {
			return err
		}
		samples = append(samples, s)
	}
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.wall, b.wall) })
	peak := slices.MaxFunc(samples, func(a, b sample) int { return cmp.Compare(a.rss, b.rss) }).rss
	median := samples[n/2].wall
	if n%2 == 0 {
		median = (median + samples[n/2-1].wall) / 2
	}
	memory := "max RSS unknown on this platform"
	if peak > 0 {
		memory = fmt.Sprintf("max RSS %.1f MB", float64(peak)/1e6)
	}
	_, err = fmt.Fprintf(out, "%d runs: median %.1f ms, %s\n", n, float64(median.Microseconds())/1e3, memory)
	return err
}

// measure runs the program once, its output discarded.
func measure(name string, args []string) (sample, error) {
	cmd := exec.Command(name, args...) //nolint:noctx // a measurement has no caller that could cancel it
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return sample{}, fmt.Errorf("cannot run %s: %w", name, err)
	}
	return sample{wall: time.Since(start), rss: maxRSS(cmd.ProcessState)}, nil
}
