package fakemodel

import (
	"slices"
	"sync"
	"time"
)

// Call is one journal entry: one HTTP request, written down when it is clear
// what is answered and before anything is.
type Call struct {
	// Seq counts the requests of a server, from 1.
	Seq int
	// Time is when the entry was made.
	Time time.Time
	// Method and Path are those of the HTTP request, without the query, which
	// may carry a key.
	Method, Path string
	// UserAgent is the header of that name.
	UserAgent string
	// API is one of the API constants.
	API string
	// Model and Stream are as in Request.
	Model  string
	Stream bool
	// Tools are the names of the tools offered.
	Tools []string
	// History is the newest 200 of Request.Messages at most, oldest first. Of a
	// text of more than 512 characters the middle is left out.
	History []Message
	// LastUser and LastTool are Request.LastUser and Request.LastTool. Of more
	// than 4096 characters the middle is left out: agents put reminders before
	// a prompt and after it.
	LastUser, LastTool string
	// Kind is what was replied, "" if the request was not for an answer.
	Kind Kind
	// Status is the HTTP status; 0 for a reply that hangs, which has none.
	Status int
	// Utility is Request.Utility.
	Utility bool
}

// journalLimit is how many entries are kept; the oldest go first, and Seq
// shows it.
const journalLimit = 10_000

// How much of a conversation an entry keeps.
const (
	lastLimit    = 4096 // characters of the last user text and tool result
	historyLimit = 200  // messages
	messageLimit = 512  // characters of a message
)

// journal keeps calls and hands each to a listener, outside the lock.
type journal struct {
	listener func(Call)

	mu    sync.Mutex
	seq   int
	calls []Call
}

func (j *journal) add(c Call) {
	j.mu.Lock()
	j.seq++
	c.Seq = j.seq
	c.Time = time.Now()
	if len(j.calls) >= journalLimit {
		j.calls = slices.Delete(j.calls, 0, journalLimit/10)
	}
	j.calls = append(j.calls, c)
	j.mu.Unlock()
	if j.listener != nil {
		j.listener(c.clone())
	}
}

// snapshot returns copies the caller may keep and change.
func (j *journal) snapshot() []Call {
	j.mu.Lock()
	defer j.mu.Unlock()
	calls := make([]Call, len(j.calls))
	for i, c := range j.calls {
		calls[i] = c.clone()
	}
	return calls
}

func (c Call) clone() Call {
	c.Tools = slices.Clone(c.Tools)
	c.History = slices.Clone(c.History)
	return c
}

// bothEnds returns s or, if it has more than n characters, its ends with a mark
// between them, n characters in all but for the mark. It holds on to no more of
// s than that.
func bothEnds(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n/2]) + " … " + string(runes[len(runes)-n/2:])
}

// about fills in what a request says.
func (c Call) about(r Request) Call {
	c.Model, c.Stream, c.Tools = r.Model, r.Stream, slices.Clone(r.Tools)
	c.LastUser, c.LastTool = bothEnds(r.LastUser(), lastLimit), bothEnds(r.LastTool(), lastLimit)
	c.Utility = r.Utility()
	for _, m := range r.Messages[max(0, len(r.Messages)-historyLimit):] {
		c.History = append(c.History, Message{Role: m.Role, Text: bothEnds(m.Text, messageLimit)})
	}
	return c
}
