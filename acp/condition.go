package acp

import "sync"

// condition is looked at, under a lock, when something that had to wait for room enters the write queue. nil always holds.
type condition struct {
	lock  sync.Locker
	holds func() bool
}

// met does something if the condition holds, and reports whether it does. do must not wait for anybody.
func (c *condition) met(do func()) bool {
	if c != nil {
		c.lock.Lock()
		defer c.lock.Unlock()
		if !c.holds() {
			return false
		}
	}
	do()
	return true
}
