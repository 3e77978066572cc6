package acp

import (
	"iter"
	"sync"
)

// letter is an update as the reader hands it over: raw bytes and what the reader knows of them.
type letter struct {
	params []byte
	update []byte
	kind   UpdateKind
	seq    uint64
	late   bool
	bad    bool // some string is not UTF-8
}

// mailbox holds the updates of one session or turn, in order, between the reader and one consumer. The reader never
// waits for it.
type mailbox struct {
	session SessionID

	mu      sync.Mutex
	wake    sync.Cond
	letters []letter
	ended   bool // nothing more will come
	adopted bool // a consumer has it
	gone    bool // the consumer has left
}

func newMailbox(session SessionID) *mailbox {
	m := &mailbox{session: session}
	m.wake.L = &m.mu
	return m
}

// put appends a letter.
func (m *mailbox) put(l letter) {
	m.mu.Lock()
	if !m.gone && !m.ended {
		m.letters = append(m.letters, l)
		m.wake.Signal()
	}
	m.mu.Unlock()
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
		m.letters, m.gone = nil, true
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

// take waits for letters and returns all there are; nil means the end.
func (m *mailbox) take(into []letter) []letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.letters) == 0 && !m.ended {
		m.wake.Wait()
	}
	taken := m.letters
	m.letters = into[:0]
	return taken
}

// leave makes the consumer's end final: nothing is kept for it any more.
func (m *mailbox) leave() {
	m.mu.Lock()
	m.gone, m.letters = true, nil
	m.mu.Unlock()
}

// all yields the updates until the end. Leaving the loop unsubscribes.
func (m *mailbox) all() iter.Seq[SessionNotification] {
	return func(yield func(SessionNotification) bool) {
		defer m.leave()
		var spare []letter
		var d decoder
		for {
			batch := m.take(spare)
			if len(batch) == 0 {
				return
			}
			for i := range batch {
				if !yield(m.open(&d, &batch[i])) {
					return
				}
				batch[i] = letter{}
			}
			spare = batch
		}
	}
}

// open decodes a letter, on the consumer's side.
func (m *mailbox) open(d *decoder, l *letter) SessionNotification {
	update, warnings := d.decode(l.kind, l.update)
	if l.bad {
		warnings = append(warnings, Warning{Path: "", Text: "a string holds bytes that are not UTF-8; Raw has them"})
	}
	return SessionNotification{
		SessionID: m.session, Update: update, Raw: l.update, Params: l.params,
		Seq: l.seq, Late: l.late, Warnings: warnings,
	}
}

// nothing is the stream of a mailbox that somebody else reads or that was never opened.
func nothing(func(SessionNotification) bool) {}

func (m *mailbox) isAdopted() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.adopted
}
