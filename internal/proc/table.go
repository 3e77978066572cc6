package proc

import "os"

// Identity is one process for good: the pid alone may pass to a stranger.
type Identity struct {
	PID int `json:"pid"`
	// Start is the time of the start in units of the system; on Linux clock ticks since boot. 0 is unknown.
	Start uint64 `json:"start"`
}

// info is one process as a table has it.
type info struct {
	Identity
	ppid, pgrp int
	state      byte // as in /proc/PID/stat
	alive      bool // no zombie
	bare       bool // has no environment, not even an empty one, and is no kernel thread
	rss        int64
	name       string // the system's short name of the program
}

// table is the processes of the system at one time, or nearly so: the system has no way to list them at once.
type table struct {
	procs map[int]*info
	env   map[int]string // environment blocks, read when they are first asked for
	vague bool           // some environment asked for cannot be told yet, its process is in the middle of an exec
}

// nonce returns the nonce in a process's environment as it was at its exec: own if it is there, else any other, or "".
// The environment of a stranger cannot be read.
func (t *table) nonce(p *info, own string) string {
	block, ok := t.env[p.PID]
	if !ok {
		vague := false
		block, vague = readEnviron(p.PID)
		t.env[p.PID] = block
		t.vague = t.vague || vague
	}
	return nonceOf(block, own)
}

// has reports whether this very process lives, or is a zombie.
func (t *table) has(id Identity) bool {
	p := t.procs[id.PID]
	return id.Start != 0 && p != nil && p.Identity == id
}

// guard knows the processes that are never signalled one by one: init, ourselves, our ancestors and our own group.
type guard struct {
	kin   map[int]bool
	group int
}

func newGuard(t *table) *guard {
	g := &guard{kin: map[int]bool{}, group: ownGroup()}
	for pid := os.Getpid(); pid > 0 && !g.kin[pid]; {
		g.kin[pid] = true
		p := t.procs[pid]
		if p == nil {
			break
		}
		pid = p.ppid
	}
	return g
}

func (g *guard) forbids(p *info) bool { return p.PID <= 1 || g.kin[p.PID] || p.pgrp == g.group }
