package fakemcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// envPrefix begins the names of the variables that are journaled. All others
// may be secrets of the agent.
const envPrefix = "FAKEMCP_"

// journal appends entries to a file that other processes may append to as well.
type journal struct {
	log  *slog.Logger
	base Entry // what all entries have in common

	mu   sync.Mutex // makes the order of the times that of the lines
	file *os.File   // nil without a file
}

func openJournal(path string, base Entry, log *slog.Logger) (*journal, error) {
	j := &journal{log: log, base: base}
	j.base.PID, j.base.PPID = os.Getpid(), os.Getppid()
	if path == "" {
		return j, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the journal: %w", err)
	}
	j.file = file
	return j, nil
}

// add writes an entry. Whoever starts the server learns from the exit alone
// that the journal cannot be written, so the server goes on and logs it.
func (j *journal) add(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Label, e.PID, e.PPID, e.Transport = j.base.Label, j.base.PID, j.base.PPID, j.base.Transport
	e.Time = time.Now().UTC()
	if j.file == nil {
		return
	}
	line, err := encode(e)
	if err == nil {
		_, err = j.file.Write(line) // one write, so that lines of several processes do not mix
	}
	if err != nil {
		j.log.Error("cannot write the journal", "event", string(e.Event), "error", err)
	}
}

func (j *journal) fail(err error) { j.add(Entry{Event: EventError, Error: err.Error()}) }

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("cannot close the journal: %w", err)
	}
	return nil
}

// encode makes a line of an entry. Raw members lose insignificant white space,
// newlines above all, and nothing else.
func encode(e Entry) ([]byte, error) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return line.Bytes(), err
}

// about is the entry of a start.
func about(args, tools []string) Entry {
	e := Entry{Event: EventStart, Args: args, Tools: tools}
	e.CWD, _ = os.Getwd()
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); strings.HasPrefix(name, envPrefix) {
			if e.Env == nil {
				e.Env = map[string]string{}
			}
			e.Env[name] = value
		}
	}
	return e
}
