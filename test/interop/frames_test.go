package interop_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

// message is a request, notification, response or error of one side: what went over the wire, or how the SDK has read it.
type message struct {
	From   string // client or agent
	Kind   string
	Method string // for an answer, that of its request
	Value  any    // the params, the result or the error
	Fault  string // why the SDK refuses it
}

// sdkMethods are the methods that the SDK knows, by who takes them.
type sdkMethods struct{ Agent, Client, Protocol, Proxy []string }

// readJournal returns what the agent has journaled: the methods that its SDK knows, and the messages as that reads them.
func readJournal(t *testing.T, file string) (methods *sdkMethods, messages []message) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if methods == nil {
			var head struct{ Methods *sdkMethods }
			require.NoError(t, json.Unmarshal([]byte(line), &head))
			methods = head.Methods
			continue
		}
		var m message
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		messages = append(messages, m)
	}
	require.NotNil(t, methods)
	return methods, messages
}

// readWire returns the messages of both sides as the tap has seen them.
func readWire(t *testing.T, frames []acp.TapFrame) []message {
	t.Helper()
	requests := map[string]string{} // their methods, by who has asked and the id
	var messages []message
	for _, f := range frames {
		require.Zero(t, f.Dropped)
		var frame struct {
			ID                    json.RawMessage
			Method                *string
			Params, Result, Error any
		}
		require.NoError(t, json.Unmarshal(f.Data, &frame), "%s", f.Data)
		m := message{From: "client", Value: frame.Params}
		if frame.Params == nil {
			m.Value = map[string]any{}
		}
		other := "agent"
		if f.Dir == acp.FromAgent {
			m.From, other = other, m.From
		}
		switch {
		case frame.Method != nil && frame.ID != nil:
			m.Kind, m.Method = "request", *frame.Method
			requests[m.From+string(frame.ID)] = m.Method
		case frame.Method != nil:
			m.Kind, m.Method = "notification", *frame.Method
		default:
			m.Kind, m.Value = "response", frame.Result
			if frame.Error != nil {
				m.Kind, m.Value = "error", frame.Error
			}
			m.Method = requests[other+string(frame.ID)]
		}
		messages = append(messages, m)
	}
	return messages
}

// checkRead makes sure that the SDK has read every message of the wire, whole: what it reads wrongly it leaves out or refuses.
func checkRead(t *testing.T, wire, journal []message) {
	t.Helper()
	for _, m := range journal {
		assert.Empty(t, m.Fault, "the SDK refuses a %s %s of the %s: %v", m.Method, m.Kind, m.From, m.Value)
	}
	for _, m := range wire {
		i := slices.IndexFunc(journal, func(j message) bool {
			return j.From == m.From && j.Kind == m.Kind && j.Method == m.Method && contains(j.Value, m.Value)
		})
		if !assert.GreaterOrEqual(t, i, 0, "the SDK has not read a %s %s of the %s, or not all of it: %v", m.Method, m.Kind, m.From, m.Value) {
			continue
		}
		journal = slices.Delete(journal, i, i+1)
	}
}

// notExercised are methods of the SDK that the test leaves out, and why.
var notExercised = map[string]string{
	"mcp/message":      "clients of package acp offer no MCP servers of their own over the connection, and no agent at hand asks for one",
	"proxy/initialize": "it goes to proxies, which package acp neither is nor starts",
	"proxy/successor":  "it goes to proxies, which package acp neither is nor starts",
}

// checkMethods makes sure that every method that the SDK knows went over the wire in its direction, was answered well if it is a
// request, and that none did which the SDK does not know.
func checkMethods(t *testing.T, known *sdkMethods, wire []message) {
	t.Helper()
	for from, takes := range map[string][]string{
		"client": slices.Concat(known.Agent, known.Protocol), "agent": slices.Concat(known.Client, known.Protocol),
	} {
		want, have := map[string]bool{"_interop/ask": true, "_interop/tell": true}, map[string]bool{}
		for _, method := range slices.Concat(takes, known.Proxy) {
			want[method] = notExercised[method] == ""
		}
		maps.DeleteFunc(want, func(_ string, wanted bool) bool { return !wanted })
		for _, m := range wire {
			answered := m.Kind == "response" && m.From != from
			if m.Kind == "notification" && m.From == from || answered {
				have[m.Method] = true
			}
		}
		assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(have)), "methods that the %s sends", from)
		t.Logf("%d methods of the %s: %s", len(have), from, strings.Join(slices.Sorted(maps.Keys(have)), " "))
	}
}

// notSent are members and variants of the protocol that one side does not send here, and why. A star at the end stands for any
// further text.
var notSent = map[string]map[string]string{
	"client": {
		"McpServer=acp":  "package acp offers no such servers",
		"McpServerAcp.*": "package acp offers no such servers",
		"RequestId=Str":  "the ids of package acp are numbers",
	},
	"agent": {
		"RequestId=Str": "the ids of the SDK are numbers",
		"ErrorCode=*":   "the codes are numbers, of which any one does",
	},
}

// checkMembers makes sure that every member and every variant of the protocol went over the wire in each direction.
func checkMembers(t *testing.T, s *schema, wire []message) {
	t.Helper()
	for from, reasons := range notSent {
		wanted, sent := s.walk(true), s.walk(false)
		s.payloads(func(name, side, method, kind string) {
			sends := side == "protocol" || (side == from) == (kind == "response")
			if side == "proxy" || notExercised[method] != "" || !sends {
				return
			}
			wanted.node(name, s.defs[name], nil)
			for _, m := range wire {
				if m.From == from && m.Kind == kind && m.Method == method {
					sent.node(name, s.defs[name], m.Value)
				}
			}
		})
		left := missing(wanted.places, sent.places)
		for place, reason := range reasons {
			before := len(left)
			prefix, isPrefix := strings.CutSuffix(place, "*")
			maps.DeleteFunc(left, func(p string, _ bool) bool { return p == place || isPrefix && strings.HasPrefix(p, prefix) })
			assert.Less(t, len(left), before, "%s is sent by the %s after all, or is no more (%s)", place, from, reason)
		}
		assert.Empty(t, slices.Sorted(maps.Keys(left)), "the %s has not sent", from)
		t.Logf("%d members and variants of the %s", len(sent.places), from)
	}
}
