package proc_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/internal/proc"
)

// stressTrees are launcher, agent and sleeper in the shapes that were met in the field.
var stressTrees = [][]string{
	{"eof", "", ""},
	{"eof", "", "setsid"},
	{"eof", "term", "setsid,term"},
	{"term", "setsid", "pgrp"},
	{"eof", "setsid,exit", "setsid"},
	{"eof", "setsid,hold", "hold"},
	{"exit", "", "setsid"},
	{"", "pgrp,exit", "setsid,hold,term"},
}

// stressResult is what one run leaves to check.
type stressResult struct {
	nonce string
	pids  []int
	took  time.Duration
	swept int
	left  []int
}

// stressOne starts one tree, kills or stops it at some point, and stops it.
func stressOne(ctx context.Context, spec *proc.Spec, shape, way int, pause time.Duration) (*stressResult, error) {
	spec.Args = stressTrees[shape]
	p, err := proc.Start(spec)
	if err != nil {
		return nil, err
	}
	r := &stressResult{nonce: p.Nonce(), pids: []int{p.PID()}}
	now, cancel := context.WithCancel(ctx)
	cancel()
	switch way {
	case 0: // at any point of the start
		<-time.After(pause)
		ctx = now
	case 1: // the launcher is killed at any point of the start
		<-time.After(pause)
		_ = unix.Kill(p.PID(), unix.SIGKILL)
	default: // after the start
		var line strings.Builder
		for b := make([]byte, 1); ; {
			if _, err := p.Stdout().Read(b); err != nil || b[0] == '\n' {
				break
			}
			line.Write(b)
		}
		for field := range strings.FieldsSeq(line.String()) {
			var pid int
			if _, err := fmt.Sscan(field, &pid); err == nil {
				r.pids = append(r.pids, pid)
			}
		}
		p.Snapshot()
		switch way {
		case 2:
			_ = unix.Kill(r.pids[len(r.pids)/2], unix.SIGKILL)
		case 3:
			_ = unix.Kill(p.PID(), unix.SIGKILL)
		case 4:
			ctx = now
		}
	}
	began := time.Now()
	e := p.Stop(ctx)
	r.took, r.swept, r.left = time.Since(began), len(e.Swept), e.Leftover
	return r, nil
}

// TestStressTrees is 60 trees, with ACP_HEAVY set 1000, of which nothing may be left.
func TestStressTrees(t *testing.T) {
	n := 60
	if os.Getenv("ACP_HEAVY") != "" {
		n = 1000
	}
	seed := rand.Uint64()
	spec := childSpec(t, "node")
	spec.Grace = proc.Grace{StdinClose: 50 * time.Millisecond, Terminate: 50 * time.Millisecond, Drain: 20 * time.Millisecond}
	spec.StateDir = t.TempDir()
	_, err := stressOne(t.Context(), &proc.Spec{Path: spec.Path, Env: spec.Env}, 0, 5, 0) // opens what stays open
	require.NoError(t, err)
	fds, goroutines := countFDs(t), runtime.NumGoroutine()

	const workers = 4
	results := make([]*stressResult, n)
	jobs := make(chan int)
	var wg sync.WaitGroup
	began := time.Now()
	for range workers {
		wg.Go(func() {
			for i := range jobs {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				mine := *spec
				r, err := stressOne(t.Context(), &mine, i%len(stressTrees), random.IntN(6), time.Duration(random.IntN(30))*time.Millisecond)
				assert.NoError(t, err)
				results[i] = r
			}
		})
	}
	for i := range n {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	took := time.Since(began)

	nonces := map[string]bool{}
	pids, swept := 0, 0
	var stops []time.Duration
	for i, r := range results {
		require.NotNil(t, r)
		nonces[r.nonce] = true
		pids, swept = pids+len(r.pids)-1, swept+r.swept
		stops = append(stops, r.took)
		assert.Empty(t, r.left, "%d: %v", i, stressTrees[i%len(stressTrees)])
	}
	slices.Sort(stops)
	require.Len(t, nonces, n)
	assert.Empty(t, bearers(t, nonces), "of %d trees, seed %d", n, seed)
	assert.Empty(t, entryFiles(t, spec.StateDir))
	// Not by Eventually, which has goroutines of its own.
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); countFDs(t) > fds || runtime.NumGoroutine() > goroutines; <-tick.C {
		require.True(t, time.Now().Before(deadline), "fds %d -> %d, goroutines %d -> %d", fds, countFDs(t), goroutines, runtime.NumGoroutine())
	}
	t.Logf("%d trees in %v, %d processes seen, %d swept outside groups; stop p50 %v, p95 %v, max %v; fds %d -> %d, goroutines %d -> %d",
		n, took.Round(time.Millisecond), pids, swept, stops[n/2].Round(time.Microsecond), stops[n*95/100].Round(time.Microsecond),
		stops[n-1].Round(time.Microsecond), fds, countFDs(t), goroutines, runtime.NumGoroutine())
}

func countFDs(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(names)
}

// bearers lists the processes that carry one of the nonces.
func bearers(t *testing.T, nonces map[string]bool) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	var found []string
	for _, file := range files {
		env, _ := os.ReadFile(file)
		for kv := range strings.SplitSeq(string(env), "\x00") {
			if v, ok := strings.CutPrefix(kv, "ACPHARNESS_TREE="); ok && nonces[v] {
				found = append(found, file)
			}
		}
	}
	return found
}
