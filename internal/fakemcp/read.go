package fakemcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// ReadJournal reads a journal, which servers may be writing at the same time: a
// last line without its newline is left out. Every other line that is no entry
// is an error that names its number.
func ReadJournal(path string) ([]Entry, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the journal: %w", err)
	}
	entries, err := parseJournal(text)
	if err != nil {
		return nil, fmt.Errorf("cannot read the journal %s: %w", path, err)
	}
	return entries, nil
}

func parseJournal(text []byte) ([]Entry, error) {
	var entries []Entry
	for number := 1; ; number++ {
		line, rest, complete := bytes.Cut(text, []byte("\n"))
		if !complete {
			return entries, nil
		}
		var e Entry
		err := json.Unmarshal(line, &e)
		if err == nil && e.Event == "" {
			err = errors.New("it is no entry: it has no event")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		entries, text = append(entries, e), rest
	}
}
