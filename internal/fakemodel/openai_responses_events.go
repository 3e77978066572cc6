package fakemodel

import (
	"iter"
	"strings"
)

// responsesEvent is any event of a stream; what does not belong to its type is
// left out.
type responsesEvent struct {
	Type           string  `json:"type"`
	SequenceNumber int     `json:"sequence_number"`
	Response       any     `json:"response,omitempty"`
	OutputIndex    *int    `json:"output_index,omitempty"`
	Item           any     `json:"item,omitempty"`
	ItemID         string  `json:"item_id,omitempty"`
	ContentIndex   *int    `json:"content_index,omitempty"`
	SummaryIndex   *int    `json:"summary_index,omitempty"`
	Part           any     `json:"part,omitempty"`
	Delta          *string `json:"delta,omitempty"`
	Text           *string `json:"text,omitempty"`
	Name           string  `json:"name,omitempty"`
	Arguments      *string `json:"arguments,omitempty"`
	Input          *string `json:"input,omitempty"`
}

// responsesStream sends the events of one response.
type responsesStream struct {
	*responses
	events *events
	sent   int
	output []any // the finished items
}

func (s *responsesStream) send(event responsesEvent) error {
	event.SequenceNumber = s.sent
	s.sent++
	return s.events.named(event.Type, event)
}

// of returns an event about the item being sent.
func (s *responsesStream) of(id, name string) responsesEvent {
	return responsesEvent{Type: name, ItemID: id, OutputIndex: new(len(s.output))}
}

func (s *responsesStream) begin(item any) {
	_ = s.send(responsesEvent{Type: "response.output_item.added", OutputIndex: new(len(s.output)), Item: item})
}

func (s *responsesStream) end(item any) {
	_ = s.send(responsesEvent{Type: "response.output_item.done", OutputIndex: new(len(s.output)), Item: item})
	s.output = append(s.output, item)
}

func (s *responsesStream) think(thinking string) {
	id := s.server.nextID("rs_")
	event := func(name string) responsesEvent {
		ev := s.of(id, "response.reasoning_summary_"+name)
		ev.SummaryIndex = new(0)
		return ev
	}
	s.begin(s.reasoning(id))
	added := event("part.added")
	added.Part = summaryPart("")
	_ = s.send(added)
	for piece := range split(thinking) {
		delta := event("text.delta")
		delta.Delta = &piece
		_ = s.send(delta)
	}
	done := event("text.done")
	done.Text = &thinking
	_ = s.send(done)
	closed := event("part.done")
	closed.Part = summaryPart(thinking)
	_ = s.send(closed)
	s.end(s.reasoning(id, summaryPart(thinking)))
}

// say sends the text, as one message.
func (s *responsesStream) say(r Reply, pieces iter.Seq2[string, error]) error {
	id := ""
	event := func(name string) responsesEvent {
		ev := s.of(id, name)
		ev.ContentIndex = new(0)
		return ev
	}
	begin := func() {
		id = s.server.nextID("msg_")
		s.begin(s.message(id, inProgress))
		added := event("response.content_part.added")
		added.Part = outputPart("")
		_ = s.send(added)
	}
	var said strings.Builder
	for piece, err := range pieces {
		if err != nil {
			return err
		}
		if id == "" {
			begin()
		}
		if r.Kind != KindEndless { // which has no end to repeat it at
			said.WriteString(piece)
		}
		delta := event("response.output_text.delta")
		delta.Delta = &piece
		if err := s.send(delta); err != nil {
			return err
		}
	}
	if id == "" {
		if !r.hasText("") {
			return nil
		}
		begin()
	}
	text := said.String()
	done := event("response.output_text.done")
	done.Text = &text
	_ = s.send(done)
	closed := event("response.content_part.done")
	closed.Part = outputPart(text)
	_ = s.send(closed)
	s.end(s.message(id, completed, outputPart(text)))
	return nil
}

// callTool sends the call first and its argument after it, in pieces, as models
// do.
func (s *responsesStream) callTool(t ToolCall) {
	item, argument := s.call(t)
	begun, name := item, "response.function_call_arguments."
	begun.Status = inProgress
	if item.Input != nil {
		begun.Input, name = new(""), "response.custom_tool_call_input."
	} else {
		begun.Arguments = new("")
	}
	s.begin(begun)
	for piece := range split(argument) {
		delta := s.of(item.ID, name+"delta")
		delta.Delta = &piece
		_ = s.send(delta)
	}
	done := s.of(item.ID, name+"done")
	done.Input, done.Arguments = item.Input, item.Arguments
	if item.Arguments != nil {
		done.Name = item.Name
	}
	_ = s.send(done)
	s.end(item)
}
