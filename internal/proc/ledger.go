package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	ledgerVersion = 1
	ledgerDir     = "trees"
	entrySuffix   = ".json"
	tempPrefix    = ".new-" // an entry that is being written
)

// place is where a pid means something.
type place struct {
	boot  string // the system's id of this boot
	space string // the pid namespace
}

// Host is the process that supervises a tree.
type Host struct {
	Identity
	BootID string `json:"bootID"`
	// PIDSpace is its pid namespace: pids of another one, such as a container's, mean nothing here.
	PIDSpace string `json:"pidSpace"`
}

// TreeEntry is what the ledger says of one tree. It has neither arguments nor environment.
type TreeEntry struct {
	Version int       `json:"version"`
	Host    Host      `json:"host"`
	Leader  Identity  `json:"leader"`
	PGID    int       `json:"pgid"`
	Nonce   string    `json:"nonce"`
	Name    string    `json:"name"`    // base name of the executable
	Started time.Time `json:"started"` // to the second
	Label   string    `json:"label"`   // Spec.Label

	// Status and what follows were found out by ReadLedger.
	Status  TreeStatus `json:"-"`
	Members []Swept    `json:"-"` // living processes, inside the group or not
	RSS     int64      `json:"-"` // sum of their resident memory in bytes

	file string
}

// enter adds the tree to the ledger. Without one, nothing can be cleaned up after a crash, which is no reason not to
// start.
func (p *Process) enter() {
	if p.spec.StateDir == "" {
		return
	}
	file, err := p.writeEntry()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		p.spec.Logger.Debug("no process ledger on this system", "error", err)
	case err != nil:
		p.spec.Logger.Warn("the process ledger cannot be written; a crash would leave processes behind", "error", err)
	}
	p.entry = file
}

// leave removes the entry.
func (p *Process) leave() {
	if p.entry == "" {
		return
	}
	if err := removeEntry(p.entry); err != nil {
		p.spec.Logger.Warn("an entry of the process ledger cannot be removed", "error", err)
	}
}

func (p *Process) writeEntry() (string, error) {
	here, err := readPlace()
	if err != nil {
		return "", err
	}
	host, err := identify(os.Getpid())
	if err != nil {
		return "", err
	}
	if p.tree.leader.Start == 0 {
		return "", fmt.Errorf("cannot identify process %d: %w", p.pid, errors.ErrUnsupported)
	}
	e := &TreeEntry{
		Version: ledgerVersion, Host: Host{Identity: host, BootID: here.boot, PIDSpace: here.space},
		Leader: p.tree.leader, PGID: p.tree.pgid, Nonce: p.tree.nonce, Name: filepath.Base(p.spec.Path),
		Started: p.started.UTC().Truncate(time.Second), Label: p.spec.Label,
	}
	dir := filepath.Join(p.spec.StateDir, ledgerDir, fmt.Sprintf("%d-%d", host.PID, host.Start))
	file := filepath.Join(dir, e.Nonce+entrySuffix)
	// The end of the tree before this one may remove the folder at any time.
	for range 100 {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = writeWhole(file, e)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("cannot write ledger entry: %w", err)
	}
	return file, nil
}

// writeWhole makes the file appear with all of its content.
func writeWhole(file string, e *TreeEntry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), tempPrefix) // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// removeEntry removes the file, and its folder if it was the last one.
func removeEntry(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove ledger entry: %w", err)
	}
	_ = os.Remove(filepath.Dir(file)) // not while there are others
	return nil
}
