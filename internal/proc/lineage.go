package proc

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// lineage finds the processes of one tree, wherever they have gone: members of the group, bearers of the nonce, and
// descendants of any process that was once seen to belong to it. The last need to be seen while the chain of parents
// is whole, because the system forgets it at a parent's exit (kirodotdev/Kiro#6050).
//
// A process with the nonce of another spawn is not followed outside the group: it has a supervisor of its own.
type lineage struct {
	nonce  string
	leader Identity
	pgid   int

	mu    sync.Mutex
	known map[int]uint64 // start times of the processes seen to belong and alive since, by pid
}

// member is a living process of a tree.
type member struct {
	*info
	inGroup bool
}

// members returns the living processes of the tree in the order of their pids, and remembers them. Without search,
// bearers of the nonce are not looked for, which saves reading the environment of everybody.
//
// The group's id is trusted only if the leader, be it a zombie, or a process known to belong holds it.
func (l *lineage) members(t *table, search bool) []member {
	if l.leader.Start == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	trusted := t.has(l.leader)
	found := map[int]*info{}
	children := map[int][]*info{}
	for _, p := range t.procs {
		if p.Start < l.leader.Start {
			continue // older than the tree
		}
		children[p.ppid] = append(children[p.ppid], p)
		known := p.Identity == l.leader || (p.Start != 0 && l.known[p.PID] == p.Start)
		if known || (search && t.nonce(p, l.nonce) == l.nonce) {
			found[p.PID] = p
			trusted = trusted || p.pgrp == l.pgid
		}
	}
	inGroup := func(p *info) bool { return trusted && p.pgrp == l.pgid }
	for _, p := range t.procs {
		if inGroup(p) && p.Start >= l.leader.Start {
			found[p.PID] = p
		}
	}
	own := func(p *info) bool {
		nonce := t.nonce(p, l.nonce)
		return nonce == "" || nonce == l.nonce || inGroup(p) || p.Identity == l.leader
	}
	maps.DeleteFunc(found, func(_ int, p *info) bool { return !own(p) })
	for queue := slices.Collect(maps.Values(found)); len(queue) > 0; queue = queue[1:] {
		for _, child := range children[queue[0].PID] {
			if found[child.PID] == nil && child.Start >= queue[0].Start && own(child) {
				found[child.PID] = child
				queue = append(queue, child)
			}
		}
	}
	l.known = map[int]uint64{}
	var list []member
	for pid, p := range found {
		if p.alive {
			l.known[pid] = p.Start
			list = append(list, member{info: p, inGroup: inGroup(p)})
		}
	}
	slices.SortFunc(list, func(a, b member) int { return cmp.Compare(a.PID, b.PID) })
	return list
}
