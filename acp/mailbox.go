package acp

import (
	"iter"
	"sync"
)

// letter is an update as the reader hands it over: raw bytes and what the reader knows of them.
type letter struct {
	params []byte
	kind   UpdateKind
	seq    uint64
	from   uint32 // the update object is params[from:to]
	to     uint32
	gap    uint32 // this many letters are missing from seq on, and there is nothing else in this one
	late   bool
	bad    bool // some string is not UTF-8

	held        bool // it was read before the answer that introduces its session
	replayed    bool
	echo        bool
	unsolicited bool
}

// update is the update object.
func (l *letter) update() []byte { return l.params[l.from:l.to:l.to] }

// letterCost is what a letter takes in memory beside its params.
const letterCost = 128

func (l *letter) size() int64 { return int64(len(l.params)) + letterCost }

// mailbox holds the updates of one session or turn, in order, between the reader and one consumer. The reader never
// waits for it: what the consumer leaves lying goes to the spill log of the connection in batches, and from there to the
// consumer when it comes so far.
type mailbox struct {
	session SessionID
	log     *spillLog

	mu      sync.Mutex
	wake    sync.Cond
	spilled []*batch // older than fresh
	fresh   []letter
	size    int64 // of fresh
	inHand  int64 // what the consumer took last
	ended   bool  // nothing more will come
	adopted bool  // a consumer has it
	gone    bool  // the consumer has left
}

func newMailbox(session SessionID, log *spillLog) *mailbox {
	m := &mailbox{session: session, log: log}
	m.wake.L = &m.mu
	return m
}

// put appends a letter.
func (m *mailbox) put(l letter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone || m.ended {
		return
	}
	m.fresh = append(m.fresh, l)
	size := l.size()
	m.size += size
	if m.log.full(m.size, size) {
		m.spillFresh()
	}
	m.wake.Signal()
}

func (m *mailbox) spillFresh() {
	var last *batch
	if n := len(m.spilled); n > 0 {
		last = m.spilled[n-1]
	}
	if b := m.log.take(m.fresh, m.size, last); b != nil {
		m.spilled = append(m.spilled, b)
	}
	m.fresh, m.size = nil, 0
}

// end says that nothing more will come; what is there stays for the consumer.
func (m *mailbox) end() {
	m.mu.Lock()
	m.ended = true
	m.wake.Broadcast()
	m.mu.Unlock()
}

// discard ends the mailbox and frees what nobody adopted.
func (m *mailbox) discard() {
	m.mu.Lock()
	m.ended = true
	if !m.adopted {
		m.free()
	}
	m.wake.Broadcast()
	m.mu.Unlock()
}

// adopt gives the mailbox to a consumer. It reports false if it has one already.
func (m *mailbox) adopt() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.adopted {
		return false
	}
	m.adopted = true
	return true
}

func (m *mailbox) isAdopted() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.adopted
}

// next waits for letters and returns the oldest there are; none mean the end. What it returned before is no longer
// counted, and into is used again.
func (m *mailbox) next(into []letter) []letter {
	m.mu.Lock()
	m.log.release(m.inHand)
	m.inHand = 0
	for len(m.spilled) == 0 && len(m.fresh) == 0 && !m.ended {
		m.wake.Wait()
	}
	if len(m.spilled) == 0 {
		taken := m.fresh
		m.inHand = m.size
		m.fresh, m.size = into[:0], 0
		m.mu.Unlock()
		return taken
	}
	b := m.spilled[0]
	m.spilled[0] = nil
	m.spilled = m.spilled[1:]
	m.mu.Unlock()
	letters, size := m.log.open(b) // may read from disk
	m.mu.Lock()
	m.inHand = size
	m.mu.Unlock()
	return letters
}

// leave makes the consumer's end final: nothing is kept for it any more.
func (m *mailbox) leave() {
	m.mu.Lock()
	m.free()
	m.mu.Unlock()
}

func (m *mailbox) free() {
	m.gone = true
	m.log.release(m.size + m.inHand)
	m.fresh, m.size, m.inHand = nil, 0, 0
	for _, b := range m.spilled {
		m.log.drop(b)
	}
	m.spilled = nil
}

// all yields the updates until the end. Leaving the loop unsubscribes.
func (m *mailbox) all() iter.Seq[SessionNotification] {
	return func(yield func(SessionNotification) bool) {
		defer m.leave()
		var spare []letter
		var d decoder
		for {
			letters := m.next(spare)
			if len(letters) == 0 {
				return
			}
			for i := range letters {
				if !yield(m.open(&d, &letters[i])) {
					return
				}
				letters[i] = letter{}
			}
			spare = letters
		}
	}
}

// open decodes a letter, on the consumer's side.
func (m *mailbox) open(d *decoder, l *letter) SessionNotification {
	if l.gap > 0 {
		return SessionNotification{SessionID: m.session, Update: &Gap{From: l.seq, Count: int(l.gap)}, Seq: l.seq, Late: l.late}
	}
	update, warnings := d.decode(l.kind, l.update())
	if l.bad {
		warnings = append(warnings, Warning{Path: "", Text: "a string holds bytes that are not UTF-8; Raw has them"})
	}
	return SessionNotification{
		SessionID: m.session, Update: update, Raw: l.update(), Params: l.params,
		Seq: l.seq, Late: l.late, Replayed: l.replayed, Echo: l.echo, Unsolicited: l.unsolicited, Warnings: warnings,
	}
}

// nothing is the stream of a mailbox that somebody else reads or that was never opened.
func nothing(func(SessionNotification) bool) {}
