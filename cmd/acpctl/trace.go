package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/acpharness/acpharness/acp"
)

// trace writes frames to a file, one JSON object per line: the time in seconds since the trace began, the subject, the
// direction, and the exact text of the frame.
type trace struct {
	mu    sync.Mutex
	file  *os.File
	out   *bufio.Writer
	began time.Time
	err   error
}

func openTrace(path string) (*trace, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	// The file may have been there with other permissions.
	if err := f.Chmod(0o600); err != nil {
		_ = f.Close()
		return nil, err
	}
	return &trace{file: f, out: bufio.NewWriter(f), began: time.Now()}, nil
}

type traceLine struct {
	T       float64 `json:"t"`
	Subject string  `json:"subject"`
	Dir     string  `json:"dir"`
	Raw     string  `json:"raw"`
	Base64  []byte  `json:"base64,omitempty"` // instead of raw, for a line that is not UTF-8
	Dropped int     `json:"dropped,omitempty"`
}

// tap returns the tap for one subject, nil if there is no trace.
func (t *trace) tap(subject string) acp.Tap {
	if t == nil {
		return nil
	}
	return func(f acp.TapFrame) {
		line := traceLine{T: f.Time.Sub(t.began).Seconds(), Subject: subject, Dir: string(f.Dir), Dropped: f.Dropped}
		line.setText(f.Data)
		t.write(line)
	}
}

func (t *trace) write(line traceLine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return
	}
	enc := json.NewEncoder(t.out)
	enc.SetEscapeHTML(false)
	t.err = enc.Encode(line)
}

func (t *trace) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.out.Flush(); t.err == nil {
		t.err = err
	}
	if err := t.file.Close(); t.err == nil {
		t.err = err
	}
	return t.err
}

func (l *traceLine) setText(data []byte) {
	if utf8.Valid(data) {
		l.Raw = string(data)
	} else {
		l.Base64 = data
	}
}
