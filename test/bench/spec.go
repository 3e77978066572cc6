package main

import (
	"encoding/json"
	"fmt"
	"time"
)

// The kinds of workloads.
const (
	kindStream = "stream" // the agent sends updates
	kindAsk    = "ask"    // the agent sends requests, one at a time
	kindPrompt = "prompt" // the client sends prompts, one at a time
)

// The subjects.
const (
	ours  = "ours"  // the client of this module
	coder = "coder" // coder/acp-go-sdk
	ts    = "ts"    // @agentclientprotocol/sdk
	lines = "lines" // floor: lines are split, nothing else
	valid = "valid" // floor: lines are split and checked with encoding/json.Valid
	pipe  = "pipe"  // floor: lines are written and read, or sent back as they are
)

// window is how many updates may be on their way in a paced stream: the length of the queue that coder/acp-go-sdk closes
// the connection over. The client gives a credit for every half.
const window = 1024

// spec is one workload, as the client and the agent are told of it.
type spec struct {
	Name     string        `json:"name"`
	Kind     string        `json:"kind"`
	Size     int           `json:"size"`     // bytes of each text; 0 in a stream means the mix
	Items    int           `json:"items"`    // measured updates, requests or prompts
	Warm     int           `json:"warm"`     // those before, which are not measured
	Sessions int           `json:"sessions"` // on one connection
	Paced    bool          `json:"paced"`    // no more than window updates are on their way
	Sleep    time.Duration `json:"sleep"`    // nanoseconds that the consumer takes for each update
	TextFile string        `json:"textFile"` // holds the text of the prompts
	Credit   string        `json:"credit"`   // socket that credits come over; the client chooses it

	subjects []string
	once     bool // one round tells it: the question is who survives
}

func parseSpec(text string) (*spec, error) {
	s := &spec{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, fmt.Errorf("cannot read the workload: %w", err)
	}
	return s, nil
}

func (s *spec) String() string {
	text, _ := json.Marshal(s) // of numbers and strings
	return string(text)
}

// workloads lists what is measured; quick is for continuous integration.
func workloads(quick bool) []*spec {
	n := func(full, short int) int {
		if quick {
			return short
		}
		return full
	}
	all := []string{lines, valid, ours, coder, ts}
	echo := []string{pipe, ours, coder, ts}
	list := []*spec{
		{Name: "updates", Kind: kindStream, Items: n(100_000, 20_000), Warm: n(10_000, 2_000), subjects: all},
		{Name: "updates paced", Kind: kindStream, Items: n(100_000, 20_000), Warm: n(10_000, 2_000), Paced: true, subjects: all},
		{Name: "tool 1 KiB", Kind: kindStream, Size: 1 << 10, Items: n(20_000, 4_000), Warm: n(2_000, 400), subjects: all},
		{Name: "tool 1 KiB paced", Kind: kindStream, Size: 1 << 10, Items: n(20_000, 4_000), Warm: n(2_000, 400), Paced: true, subjects: all},
		{Name: "tool 100 KiB", Kind: kindStream, Size: 100 << 10, Items: n(1_000, 200), Warm: n(100, 20), subjects: all},
		{Name: "round trip", Kind: kindAsk, Size: 40, Items: n(20_000, 2_000), Warm: n(2_000, 200), subjects: echo},
		{Name: "prompt 10 MiB", Kind: kindPrompt, Size: 10 << 20, Items: n(5, 2), Warm: 1, subjects: echo},
		{Name: "request 10 MiB", Kind: kindAsk, Size: 10 << 20, Items: n(5, 2), Warm: 1, subjects: echo},
		{
			Name: "burst", Kind: kindStream, Items: n(5_000, 2_000), Sleep: time.Duration(n(1_000, 200)) * time.Microsecond,
			subjects: []string{ours, coder, ts}, once: true,
		},
	}
	for _, s := range list {
		s.Sessions = 1
	}
	return append(list, sessionWorkloads(quick)...)
}

// sessionWorkloads deal updates out to many sessions.
func sessionWorkloads(quick bool) []*spec {
	var list []*spec
	add := func(sessions int, paced bool, subjects ...string) {
		s := &spec{
			Name: fmt.Sprintf("sessions %d", sessions), Kind: kindStream, Items: 200_000, Warm: 20_000,
			Sessions: sessions, Paced: paced, subjects: subjects,
		}
		if paced {
			s.Name += " paced"
		}
		list = append(list, s)
	}
	if quick {
		add(10_000, false, valid, ours)
		return list
	}
	for _, sessions := range []int{1, 100} {
		add(sessions, false, valid, ours, coder)
		add(sessions, true, valid, ours, coder)
	}
	add(10_000, false, valid, ours, coder, ts)
	add(10_000, true, valid, ours, coder)
	return list
}
