package reconcile

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/acpharness/acpharness/parity/bench"
)

// model is the fake model of a bench while it is told what to call. It is asked from many goroutines.
type model struct {
	mu    sync.Mutex
	turns map[string]*script // by the word in the prompt
	names map[string]string  // how the agent calls the tools of servers, by "server tool"
	slow  chan struct{}      // gets one when a slow answer begins
}

// script is what the model does in one turn.
type script struct {
	wants   []want
	steps   []bench.ModelReply // nil before the first request
	offered map[string]bool    // the tools of the servers in that request
	search  string             // the tool by which the agent lets others be found, empty if there is none
}

// want is a tool that the model is to call, and what to call it with.
type want struct{ server, tool, argument string }

func (w want) key() string { return w.server + " " + w.tool }

// promptWord is how a prompt names its script. The rest of a prompt is for people.
var promptWord = regexp.MustCompile(`reconcile-[a-z0-9]+`)

// serverTool is what agents make of the names of a server and its tool.
var serverTool = regexp.MustCompile(`(?i)[A-Za-z0-9_./-]*\b?(rcbase|rcextra|rcgiven)[_./-]+(alpha|beta|gamma)\b`)

// toolInWords is one that is named in a text. Servers answer with their own names and a slash, which nobody can call.
var toolInWords = regexp.MustCompile(`(?i)\b[A-Za-z0-9_]*(rcbase|rcextra|rcgiven)_+(alpha|beta|gamma)\b`)

func newModel() *model {
	return &model{turns: map[string]*script{}, names: map[string]string{}, slow: make(chan struct{}, 1)}
}

// plan makes the script of a turn, whose prompt must have the word.
func (m *model) plan(word string, wants []want) *script {
	s := &script{wants: wants}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns[word] = s
	return s
}

// reply is bench.Options.Reply.
func (m *model) reply(r bench.ModelRequest) bench.ModelReply {
	word := wordOf(r)
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.turns[word]
	if s == nil || r.Utility() {
		return bench.DefaultReply(r)
	}
	m.learn(r)
	if s.steps == nil {
		m.begin(s, r)
	}
	if n := calls(r, word); n < len(s.steps) {
		return s.steps[n]
	}
	return bench.ModelReply{Text: "done"}
}

// wordOf finds the word of the last prompt that has one. Agents say things in the name of the user after it (claude: "Tool loaded.").
func wordOf(r bench.ModelRequest) string {
	if strings.Contains(r.LastUser(), "@@") {
		return ""
	}
	for _, message := range slices.Backward(r.Messages) {
		if word := promptWord.FindString(message.Text); word != "" && message.Role == "user" {
			return word
		}
	}
	return ""
}

// learn notes how the tools of servers are called.
func (m *model) learn(r bench.ModelRequest) {
	note := func(name string) {
		if parts := serverTool.FindStringSubmatch(name); parts != nil {
			m.names[strings.ToLower(parts[1]+" "+parts[2])] = parts[0]
		}
	}
	for _, message := range r.Messages {
		for _, name := range toolInWords.FindAllString(message.Text, -1) {
			note(name)
		}
	}
	for _, name := range r.Tools { // they are how it is really called
		note(name)
	}
}

// begin makes the steps of a turn from the first request.
func (m *model) begin(s *script, r bench.ModelRequest) {
	s.offered, s.steps = map[string]bool{}, []bench.ModelReply{}
	for _, name := range r.Tools {
		if parts := serverTool.FindStringSubmatch(name); parts != nil {
			s.offered[strings.ToLower(parts[1]+" "+parts[2])] = true
		}
		if squeezed := strings.ReplaceAll(strings.ToLower(name), "_", ""); strings.HasSuffix(squeezed, "toolsearch") {
			s.search = name
		}
	}
	for _, w := range s.wants {
		name := m.name(w)
		if s.search != "" && !s.offered[w.key()] {
			query := w.tool
			if name != "" {
				query = "select:" + name
			}
			s.steps = append(s.steps, call(s.search, map[string]any{"query": query}))
		}
		if name != "" {
			s.steps = append(s.steps, call(name, map[string]any{"x": w.argument}))
		}
	}
}

// name is how the agent calls a tool: as it was seen, or as that of another server leads one to think.
func (m *model) name(w want) string {
	if name := m.names[w.key()]; name != "" {
		return name
	}
	for _, key := range slices.Sorted(maps.Keys(m.names)) {
		name := m.names[key]
		server, tool, _ := strings.Cut(key, " ")
		i, j := strings.LastIndex(strings.ToLower(name), server), strings.LastIndex(strings.ToLower(name), tool)
		if i >= 0 && j >= i+len(server) {
			return name[:i] + w.server + name[i+len(server):j] + w.tool
		}
	}
	return ""
}

func call(name string, args map[string]any) bench.ModelReply {
	text, err := json.Marshal(args)
	if err != nil {
		return bench.ModelReply{Kind: bench.ReplyError, Text: err.Error()}
	}
	reply := bench.ModelReply{Kind: bench.ReplyTool}
	reply.Tool.Name, reply.Tool.Args = name, text
	return reply
}

// calls counts the tool calls since the prompt. Their results come in any number of messages.
func calls(r bench.ModelRequest, word string) int {
	n := 0
	for _, m := range slices.Backward(r.Messages) {
		switch {
		case m.Role == "assistant":
			n++
		case m.Role == "user" && strings.Contains(m.Text, word):
			return n
		}
	}
	return n
}

// began is bench.Options.Journal.
func (m *model) began(c bench.ModelCall) {
	if c.Kind == bench.ReplySlow && !c.Utility {
		select {
		case m.slow <- struct{}{}:
		default:
		}
	}
}

// answered are the results that the model was told last, for people.
func (m *model) answered(calls []bench.ModelCall, word string) string {
	for _, c := range slices.Backward(calls) {
		if !c.Utility && strings.Contains(c.LastUser, word) && c.LastTool != "" {
			return c.LastTool
		}
	}
	return ""
}

func (w want) String() string { return fmt.Sprintf("%s of %s", w.tool, w.server) }
