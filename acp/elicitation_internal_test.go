package acp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A question ends with the call that it is about.
func TestQuestionsEndWithTheirCall(t *testing.T) {
	for _, by := range []string{"given up", "answered"} {
		d := newDesk()
		conn, p := puppeteerOf(t, d.everything(), `{"protocolVersion":1,"authMethods":[{"id":"web","name":"Web"}]}`)
		ctx, giveUp := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- conn.Authenticate(ctx, "web") }()
		call := p.hear(t)
		p.say(t, fmt.Sprintf(`{"id":"q","method":"elicitation/create","params":{"requestId":%s,"mode":"form","message":"/wait","requestedSchema":{}}}`, call.ID))
		<-d.waiting
		want := []string{`{"action":"cancel"}`}
		if by == "given up" {
			giveUp()
			want = append(want, "$/cancel_request")
		} else {
			p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, call.ID))
		}
		var have []string
		for range want { // in any order
			frame := p.hear(t)
			have = append(have, frame.Method+string(frame.Result))
		}
		assert.ElementsMatch(t, want, have)
		assert.Equal(t, by == "answered", <-done == nil)
		giveUp()
	}
}

// A question about a prompt is the session's, and the cancel of the turn answers it.
func TestQuestionsAboutAPrompt(t *testing.T) {
	theirs, own := newDesk(), newDesk()
	conn, p := puppeteer(t, theirs.everything())
	session := openWith(t, conn, p, &SessionOptions{Form: own})
	turn := mustPrompt(t, session, "go", BusyReject)
	prompt := p.hear(t)
	p.say(t, fmt.Sprintf(`{"id":"q","method":"elicitation/create","params":{"requestId":%s,"mode":"form","message":"/wait","requestedSchema":{}}}`, prompt.ID))
	<-own.waiting
	require.NoError(t, turn.Cancel(t.Context()))
	assert.Equal(t, "session/cancel", p.hear(t).Method)
	assert.JSONEq(t, `{"action":"cancel"}`, p.answered(t))
	assert.Empty(t, theirs.heard())
}

// The completion of a visit is not lost, however soon it comes, and those that never come do not pile up.
func TestVisits(t *testing.T) {
	d := newDesk()
	d.action = ElicitationAccept
	conn, p := puppeteer(t, d.everything())
	openWith(t, conn, p, nil)
	visit := func(id, message string, completed bool) {
		line := fmt.Sprintf(`{"id":"q","method":"elicitation/create","params":{"sessionId":"s1","mode":"url","message":%q,"elicitationId":%q,"url":"https://example.test"}}`, message, id)
		if completed {
			line += "\n" + `{"method":"elicitation/complete","params":{"elicitationId":"` + id + `"}}`
		}
		p.say(t, line)
		p.answered(t)
	}
	for i := range 20 {
		visit(fmt.Sprint("early", i), "x", true)
	}
	p.flush(t, conn)
	for _, v := range d.visits {
		<-v.Completed
	}
	open := func() int {
		conn.visits.mu.Lock()
		defer conn.visits.mu.Unlock()
		return len(conn.visits.open)
	}
	visit("panic", "/panic", false)
	visit("fail", "/fail", false)
	assert.Zero(t, open(), "nobody visits those")
	for i := range maxVisits + 10 {
		visit(fmt.Sprint("never", i), "x", false)
	}
	assert.Equal(t, maxVisits, open())
	last := d.visits[len(d.visits)-1]
	p.say(t, `{"method":"elicitation/complete","params":{"elicitationId":"`+last.ID+`"}}`)
	<-last.Completed
	// Two questions of one id: a refusal of one is none of the other.
	visit("twice", "x", false)
	both := d.visits[len(d.visits)-1]
	d.mu.Lock()
	d.action = ElicitationDecline
	d.mu.Unlock()
	visit("twice", "x", false)
	p.say(t, `{"method":"elicitation/complete","params":{"elicitationId":"twice"}}`)
	<-both.Completed
}

// A form of any size is read in time, and has as many fields as somebody may fill in.
func TestHugeForms(t *testing.T) {
	const fields = 50_000
	var properties, required strings.Builder
	for i := range fields {
		fmt.Fprintf(&properties, `,"f%d":{}`, i)
		fmt.Fprintf(&required, `,"f%d"`, i)
	}
	var d decoder
	form := d.form("f", []byte(`{"properties":{`+properties.String()[1:]+`},"required":[`+required.String()[1:]+`]}`))
	assert.Len(t, form.Fields, maxFields)
	assert.True(t, form.Fields[maxFields-1].Required)
	assert.NotEmpty(t, d.warnings)
}

// A default that is no value of its field is none.
func TestBadDefaults(t *testing.T) {
	var d decoder
	form := d.form("f", []byte(`{"properties":{"n":{"type":"integer","default":"x"},"a":{"type":"array","default":"x"},"b":{"type":"boolean","default":1},"s":{"type":"string","default":1}}}`))
	for _, f := range form.Fields {
		assert.Nil(t, f.Default, f.Name)
	}
	assert.Equal(t, []EnvVariable{{"A", "1"}}, d.environment("env", []byte(`[5,{"name":"A","value":"1"}]`)))
}
