package proc

// Tree is what a process's tree is at one time.
type Tree struct {
	// Known is false where the system cannot tell, which is everywhere but on Linux; all else is zero then.
	Known bool
	// Processes is the number of living processes: the group, and whoever has left it. Known daemons count too.
	Processes int
	// RSS is the sum of their resident memory in bytes. Memory they share counts once for each.
	RSS int64
	// Stopped is true if the leader is stopped by a signal such as SIGSTOP.
	Stopped bool
	// Alive is true if the leader is.
	Alive bool
}

// Nonce returns the 32 hexadecimal digits that every process of the tree has in its environment as ACPHARNESS_TREE.
func (p *Process) Nonce() string { return p.tree.nonce }

// Snapshot remembers the descendants that the tree has now, so that they are found even when they have left the group,
// lost their parent and dropped the nonce from their environment. It reads the system's list of processes once, and is
// meant to be called when an agent has started what it needs. A stop does so by itself.
func (p *Process) Snapshot() {
	if t, err := readTable(); err == nil {
		p.tree.members(t, false)
	}
}

// Tree returns the figures of the tree. It reads the system's list of processes once.
func (p *Process) Tree() Tree {
	t, err := readTable()
	if err != nil || p.tree.leader.Start == 0 {
		return Tree{}
	}
	tree := Tree{Known: true}
	for _, m := range p.tree.members(t, true) {
		tree.Processes++
		tree.RSS += m.rss
	}
	if t.has(p.tree.leader) {
		leader := t.procs[p.pid]
		tree.Alive = leader.alive
		tree.Stopped = leader.state == 'T'
	}
	return tree
}
