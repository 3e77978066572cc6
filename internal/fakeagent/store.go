package fakeagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

const recordExt = ".json"

// store keeps the records of sessions, open or not: in a folder that other processes share, or in memory.
type store struct {
	dir string // empty is memory

	mu      sync.Mutex // taken before server.mu
	saved   map[string]record
	removed map[string]bool // so that the rest of a turn does not bring a deleted session back
}

func newStore(dir string) *store {
	return &store{dir: dir, saved: map[string]record{}, removed: map[string]bool{}}
}

// put saves a record. It takes the snapshot itself, so that of two savers the later one has the newer.
func (st *store) put(id string, snapshot func() record) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.removed[id] {
		return nil
	}
	rec := snapshot()
	if st.dir == "" {
		st.saved[id] = rec
		return nil
	}
	if err := st.write(rec); err != nil {
		return fmt.Errorf("cannot save session: %w", err)
	}
	return nil
}

// write replaces the file of a record whole.
func (st *store) write(rec record) error {
	data, err := encode(rec)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(st.dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(st.dir, "tmp-*") // made with 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), st.file(rec.ID))
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// get returns false if there is no such session.
func (st *store) get(id string) (record, bool, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.dir == "" {
		rec, ok := st.saved[id]
		return rec, ok, nil
	}
	return st.read(id)
}

func (st *store) read(id string) (record, bool, error) {
	if !isFileName(id) {
		return record{}, false, nil
	}
	data, err := os.ReadFile(st.file(id))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, false, nil
	}
	var rec record
	if err == nil {
		err = json.Unmarshal(data, &rec)
	}
	if err != nil {
		return record{}, false, fmt.Errorf("cannot read session: %w", err)
	}
	return rec, true, nil
}

// all returns every record, in no order.
func (st *store) all() ([]record, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	var all []record
	if st.dir == "" {
		for _, rec := range st.saved {
			all = append(all, rec)
		}
		return all, nil
	}
	entries, err := os.ReadDir(st.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list sessions: %w", err)
	}
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), recordExt)
		if !ok {
			continue
		}
		rec, ok, err := st.read(id) // another process may have deleted it meanwhile
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, rec)
		}
	}
	return all, nil
}

// remove returns false if there is no such session.
func (st *store) remove(id string) (bool, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.dir == "" {
		_, ok := st.saved[id]
		delete(st.saved, id)
		st.removed[id] = ok
		return ok, nil
	}
	if !isFileName(id) {
		return false, nil
	}
	err := os.Remove(st.file(id))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot delete session: %w", err)
	}
	st.removed[id] = true
	return true, nil
}

func (st *store) file(id string) string { return filepath.Join(st.dir, id+recordExt) }

// isFileName keeps an id of the client's from naming a file elsewhere.
func isFileName(id string) bool { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`).MatchString(id) }
