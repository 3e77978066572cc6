package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"
)

// result is what one run of one subject measured.
type result struct {
	Updates int64         `json:"updates"` // handled by the consumers
	Asked   int64         `json:"asked"`   // requests answered
	Text    int64         `json:"text"`    // length of all texts in the updates, in the units of the language
	Wall    time.Duration `json:"wall"`    // nanoseconds
	CPU     time.Duration `json:"cpu"`     // nanoseconds, of the client's process
	Mallocs uint64        `json:"mallocs"` // 0 if the language does not tell
	Died    string        `json:"died"`    // empty if all went well
}

// client is a subject that is written in Go.
type client interface {
	// open starts the agent and opens the sessions.
	open(sessions int) error
	// turn sends a prompt in every session and returns when all are answered and all that came before is handled.
	turn(text string) error
	close()
}

// tally counts what a subject has handled, from whichever goroutines it handles things on.
type tally struct {
	updates, asked, text atomic.Int64
	sleep                time.Duration
	credits              net.Conn // nil if the stream is not paced
}

// update counts one update with its text, whose ends are looked at so that a client may not leave it undecoded.
func (t *tally) update(texts ...string) {
	var length int64
	for _, s := range texts {
		length += int64(len(s))
		if s != "" && s[0] == 0 && s[len(s)-1] == 0 {
			panic("a text that no agent sent")
		}
	}
	t.text.Add(length)
	if t.sleep > 0 {
		time.Sleep(t.sleep)
	}
	if n := t.updates.Add(1); t.credits != nil && n%(window/2) == 0 {
		_, _ = t.credits.Write([]byte{1}) // an agent that is gone shows otherwise
	}
}

// settle waits until nothing is handled any more and returns how many updates were.
func (t *tally) settle() int64 {
	for n := t.updates.Load(); ; {
		time.Sleep(200 * time.Millisecond)
		now := t.updates.Load()
		if now == n {
			return n
		}
		n = now
	}
}

// measure runs one subject. Failures are results.
func measure(subject string, s *spec) *result {
	t := &tally{sleep: s.Sleep}
	r := &result{}
	if err := t.measure(subject, s, r); err != nil {
		r.Died = fmt.Sprintf("died after %d: %v", t.settle()+t.asked.Load(), err)
		r.Updates = t.updates.Load()
	}
	return r
}

func (t *tally) measure(subject string, s *spec, r *result) error {
	credits := func() net.Conn { return nil }
	if s.Paced {
		listener, err := listen(s)
		if err != nil {
			return err
		}
		defer listener.close()
		credits = listener.conn
	}
	c, err := newClient(subject, s, t)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.open(s.Sessions); err != nil {
		return err
	}
	t.credits = credits() // the agent connected before it answered
	text, turns, err := promptText(s)
	if err != nil {
		return err
	}
	if s.Warm > 0 {
		if err := c.turn(text); err != nil {
			return err
		}
	}
	updates, asked, length := t.updates.Load(), t.asked.Load(), t.text.Load()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	for range turns {
		if err := c.turn(text); err != nil {
			return err
		}
	}
	r.Wall, r.CPU = time.Since(start), cpuTime()-cpu
	runtime.ReadMemStats(&after)
	r.Mallocs = after.Mallocs - before.Mallocs
	r.Updates, r.Asked, r.Text = t.updates.Load()-updates, t.asked.Load()-asked, t.text.Load()-length
	return nil
}

func newClient(subject string, s *spec, t *tally) (client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	agent := []string{self, "produce", s.String()}
	switch subject {
	case ours:
		return &oursClient{tally: t, agent: agent}, nil
	case coder:
		return &coderClient{tally: t, agent: agent}, nil
	case lines, valid, pipe:
		return &floorClient{tally: t, agent: agent, check: subject == valid}, nil
	}
	return nil, fmt.Errorf("cannot measure %q: no such subject", subject)
}

// promptText returns the text of the prompts and how many turns are measured.
func promptText(s *spec) (string, int, error) {
	if s.Kind != kindPrompt {
		return "What is in this folder?", 1, nil
	}
	text, err := os.ReadFile(s.TextFile)
	return string(text), s.Items, err
}

// creditSocket is what credits go over. They have a socket of their own so that no subject's writer is measured with
// them.
type creditSocket struct {
	dir      string
	listener net.Listener
}

// listen opens a socket and tells the workload of it.
func listen(s *spec) (*creditSocket, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	s.Credit = filepath.Join(dir, "credit")
	l, err := net.Listen("unix", s.Credit)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &creditSocket{dir, l}, nil
}

// conn returns the agent's connection, nil if it has none.
func (c *creditSocket) conn() net.Conn {
	conn, err := c.listener.Accept()
	if err != nil {
		return nil
	}
	return conn
}

func (c *creditSocket) close() {
	_ = c.listener.Close()
	_ = os.RemoveAll(c.dir)
}
