package reconcile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/parity/bench"
)

// Seen is what a witness says of a tool: yes, no, or nothing.
type Seen string

// What a witness can say.
const (
	Yes     Seen = "yes"
	No      Seen = "no"
	Unclear Seen = "unclear" // the agent lets the model search for tools, so that none is on offer by itself
)

// Sight is what a model was offered of the tools of a server in one turn, and what its calls reached.
type Sight struct {
	// Offered and Called are by tools.
	Offered map[string]Seen `json:"offered"`
	Called  map[string]Seen `json:"called"`
	// Args are those of the process that the last call reached, the part by which entries are told apart.
	Args []string `json:"args,omitempty"`
	// Asked is how often the agent asked for permission.
	Asked int `json:"asked,omitempty"`
	// Answer is what the model was told by the last call that reached nothing.
	Answer string `json:"answer,omitempty"`
}

func (s *Sight) String() string {
	if s == nil {
		return "not looked at"
	}
	var parts []string
	for _, tool := range slices.Sorted(maps.Keys(s.Called)) {
		parts = append(parts, fmt.Sprintf("%s offered %s, called %s", tool, s.Offered[tool], s.Called[tool]))
	}
	return strings.Join(parts, "; ")
}

// look plays a turn in which the model calls tools of a server, whether they are on offer or not.
func (st *stage) look(ctx context.Context, session *acp.Session, server *bench.MCPServer, tools ...string) (*Sight, error) {
	st.words++
	word := fmt.Sprintf("reconcile-t%d", st.words)
	var wants []want
	for _, tool := range tools {
		wants = append(wants, want{server.Name, tool, word + "-" + tool})
	}
	plan := st.model.plan(word, wants)
	before, err := server.Journal()
	if err != nil {
		return nil, err
	}
	st.mu.Lock()
	asked := st.asked
	st.mu.Unlock()
	if err := st.turn(ctx, session, word+": call the tools that I asked for."); err != nil {
		return nil, err
	}
	after, err := server.Journal()
	if err != nil {
		return nil, err
	}
	sight := &Sight{Offered: map[string]Seen{}, Called: map[string]Seen{}}
	st.mu.Lock()
	sight.Asked = st.asked - asked
	st.mu.Unlock()
	st.model.mu.Lock()
	defer st.model.mu.Unlock()
	for _, w := range wants {
		switch {
		case plan.offered[w.key()]:
			sight.Offered[w.tool] = Yes
		case plan.search != "", plan.steps == nil:
			sight.Offered[w.tool] = Unclear
		default:
			sight.Offered[w.tool] = No
		}
		sight.Called[w.tool] = No
		for _, e := range after[len(before):] {
			if e.Method == "tools/call" && strings.Contains(string(e.Arguments), `"`+w.argument+`"`) {
				sight.Called[w.tool] = Yes
				sight.Args = argsOf(after, e.PID)
			}
		}
		if sight.Called[w.tool] == No {
			sight.Answer = shorten(st.model.answered(st.bench.ModelCalls(), word))
		}
	}
	return sight, nil
}

// argsOf are the arguments that a process was started with.
func argsOf(entries []bench.MCPEntry, pid int) []string {
	for _, e := range slices.Backward(entries) {
		if e.PID == pid && e.Event == "start" {
			return e.Args
		}
	}
	return nil
}

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 160 {
		s = strings.ToValidUTF8(s[:160], "") + "…"
	}
	return s
}

// turn plays a turn to its end, however it ends.
func (st *stage) turn(ctx context.Context, session *acp.Session, prompt string) error {
	turn, err := session.Prompt(ctx, acp.Text(prompt), nil)
	if err != nil {
		return err
	}
	_, err = turn.Wait(ctx)
	return err
}
