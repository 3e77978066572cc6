package transcript

// Entries have consecutive indexes and go from the front only, so that an index tells the place.

// at returns the newest snapshot of an entry, nil if it is gone or index is 0.
func (t *Transcript) at(index uint64) Entry {
	gone := t.added - uint64(len(t.entries))
	if index <= gone {
		return nil
	}
	return t.entries[index-gone-1]
}

func (t *Transcript) last() Entry { return t.at(t.added) }

// add appends an entry whose size is known.
func (t *Transcript) add(e Entry) Change {
	h := e.head()
	t.added++
	h.Index = t.added
	t.entries = append(t.entries, e)
	t.bytes += h.size
	t.evict()
	return Change{Entry: e, Added: true}
}

// replace puts the next snapshot of an entry in the place of the one before.
func (t *Transcript) replace(e Entry) Change {
	h := e.head()
	place := &t.entries[h.Index-(t.added-uint64(len(t.entries)))-1]
	t.bytes += h.size - (*place).head().size
	*place = e
	t.evict()
	return Change{Entry: e}
}

func (t *Transcript) evict() {
	for len(t.entries) > t.maxEntries || t.bytes > t.maxBytes && len(t.entries) > 1 {
		oldest := t.entries[0]
		t.entries[0] = nil
		t.entries = t.entries[1:]
		t.bytes -= oldest.head().size
		t.forget(oldest)
	}
}

// forget takes an entry out of the tables of its lane, which would grow otherwise.
func (t *Transcript) forget(e Entry) {
	h := e.head()
	l := t.lane(h.Replayed)
	switch e := e.(type) {
	case *Message:
		remove(l.messages, messageKey{e.Role, e.MessageID}, h.Index)
	case *ToolCall:
		remove(l.calls, e.ID, h.Index)
	case *Note:
		remove(l.notes, e.ID, h.Index)
	}
}

// remove deletes a key that still means the entry of that index.
func remove[K comparable](table map[K]uint64, key K, index uint64) {
	if table[key] == index {
		delete(table, key)
	}
}
