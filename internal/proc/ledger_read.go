package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// TreeStatus says what has become of a tree in the ledger.
type TreeStatus string

const (
	// TreeLive means that the host lives and looks after the tree.
	TreeLive TreeStatus = "live"
	// TreeLeftover means that the host is gone and some process of the tree lives. Reap ends it.
	TreeLeftover TreeStatus = "leftover"
	// TreeGone means that neither the host nor any process of the tree lives. Reap removes the entry.
	TreeGone TreeStatus = "gone"
	// TreeUnknown means that the host is out of sight, in another pid namespace such as a container.
	TreeUnknown TreeStatus = "unknown"
)

// maxEntry bounds what is read of a file that claims to be an entry.
const maxEntry = 64 << 10

// ReadLedger reads the ledger below a state directory and finds out what has become of its trees. Files that are no
// entries yield an error each, and never keep the rest from being read. A directory that does not exist is an empty
// ledger. On systems other than Linux the error wraps errors.ErrUnsupported.
func ReadLedger(stateDir string) ([]TreeEntry, []error) {
	here, err := readPlace()
	if err != nil {
		return nil, []error{fmt.Errorf("cannot read the ledger: %w", err)}
	}
	entries, errs := readEntries(filepath.Join(stateDir, ledgerDir))
	if len(entries) == 0 {
		return nil, errs
	}
	t, err := readTable()
	if err != nil {
		return nil, append(errs, fmt.Errorf("cannot read the ledger: %w", err))
	}
	for i := range entries {
		e := &entries[i]
		var members []member
		e.Status, members = e.judge(here, t, e.lineage())
		for _, m := range members {
			e.Members = append(e.Members, Swept{PID: m.PID, Name: m.name})
			e.RSS += m.rss
		}
	}
	slices.SortStableFunc(entries, func(a, b TreeEntry) int { return a.Started.Compare(b.Started) })
	return entries, errs
}

func (e *TreeEntry) lineage() *lineage {
	return &lineage{nonce: e.Nonce, leader: e.Leader, pgid: e.PGID}
}

// judge tells the status and the living members.
func (e *TreeEntry) judge(here place, t *table, l *lineage) (TreeStatus, []member) {
	if e.Host.BootID != here.boot {
		return TreeGone, nil
	}
	if e.Host.PIDSpace != here.space {
		return TreeUnknown, nil
	}
	members := l.members(t, true)
	switch {
	case t.has(e.Host.Identity) && t.procs[e.Host.PID].alive:
		return TreeLive, members
	case len(members) > 0:
		return TreeLeftover, members
	default:
		return TreeGone, nil
	}
}

// readEntries reads all files of all hosts.
func readEntries(dir string) (entries []TreeEntry, errs []error) {
	hosts, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, []error{fmt.Errorf("cannot read the ledger: %w", err)}
	}
	for _, host := range hosts {
		files, err := os.ReadDir(filepath.Join(dir, host.Name()))
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) { // the last tree of this host has just ended
				errs = append(errs, fmt.Errorf("cannot read the ledger: %w", err))
			}
			continue
		}
		for _, file := range files {
			if strings.HasPrefix(file.Name(), tempPrefix) {
				continue
			}
			e, err := readEntry(filepath.Join(dir, host.Name(), file.Name()))
			switch {
			case err == nil:
				entries = append(entries, *e)
			case !errors.Is(err, fs.ErrNotExist):
				errs = append(errs, err)
			}
		}
	}
	return entries, errs
}

var errNoEntry = errors.New("it is no ledger entry of a known version")

func readEntry(file string) (*TreeEntry, error) {
	e, err := decodeEntry(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read ledger entry %q: %w", file, err)
	}
	e.file = file
	return e, nil
}

func decodeEntry(file string) (*TreeEntry, error) {
	if st, err := os.Stat(file); err != nil {
		return nil, bareError(err)
	} else if !st.Mode().IsRegular() {
		return nil, errNoEntry // opening a fifo would block
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, bareError(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxEntry))
	if err != nil {
		return nil, bareError(err)
	}
	e := &TreeEntry{}
	if err := json.Unmarshal(b, e); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoEntry, err)
	}
	if e.Version != ledgerVersion || !isNonce(e.Nonce) || filepath.Base(file) != e.Nonce+entrySuffix ||
		e.Host.PID <= 0 || e.Host.Start == 0 || e.Leader.PID <= 1 || e.Leader.Start == 0 || e.PGID <= 1 {
		return nil, errNoEntry
	}
	return e, nil
}
