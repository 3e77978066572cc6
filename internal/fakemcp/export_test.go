package fakemcp

// ParseJournal is what ReadJournal does with the text of a file.
func ParseJournal(text []byte) ([]Entry, error) { return parseJournal(text) }
