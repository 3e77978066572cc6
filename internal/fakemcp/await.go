package fakemcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Await reads a journal whenever it has grown and returns its entries as soon
// as done says so of them. The journal need not exist yet, its folder must. When
// ctx ends first, Await returns the entries there are and an error with the
// cause. A journal that cannot be read is an error too.
func Await(ctx context.Context, path string, done func([]Entry) bool) ([]Entry, error) {
	file, err := watch(path)
	if err != nil {
		return nil, fmt.Errorf("cannot await the journal: %w", err)
	}
	defer file.close()
	for {
		entries, err := ReadJournal(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if done(entries) {
			return entries, nil
		}
		if err := file.next(ctx); err != nil {
			return entries, fmt.Errorf("cannot await the journal %s: %w", path, err)
		}
	}
}
