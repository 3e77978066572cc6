package acp

// Updates may be read before the answer that introduces their session (openclaw#110455). While such an answer is
// pending they are held, within bounds, and delivered in order when it comes.

const (
	heldBytes = 4 << 20
	heldCount = 4096
)

// heldUpdates holds updates for sessions that are not known yet. Its owner's lock guards it.
type heldUpdates struct {
	pending int // calls under way that will introduce a session
	bytes   int
	letters map[SessionID][]letter
	count   int
}

// add keeps a letter if a session may still be introduced and there is room.
func (h *heldUpdates) add(id SessionID, l letter) bool {
	if h.pending == 0 || h.count >= heldCount || h.bytes+len(l.params) > heldBytes {
		return false
	}
	if h.letters == nil {
		h.letters = map[SessionID][]letter{}
	}
	h.letters[id] = append(h.letters[id], l)
	h.bytes += len(l.params)
	h.count++
	return true
}

// begin says that a call is under way which will introduce a session.
func (h *heldUpdates) begin() { h.pending++ }

// introduce ends such a call and returns what was held for its session, "" for a call that failed. When no more calls
// are under way, what is left is dropped and counted.
func (h *heldUpdates) introduce(id SessionID) (letters []letter, dropped int) {
	h.pending--
	letters = h.letters[id]
	delete(h.letters, id)
	h.count -= len(letters)
	for _, l := range letters {
		h.bytes -= len(l.params)
	}
	if h.pending == 0 {
		dropped = h.count
		h.letters, h.count, h.bytes = nil, 0, 0
	}
	return letters, dropped
}
