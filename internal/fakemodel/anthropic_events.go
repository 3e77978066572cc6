package fakemodel

import "iter"

// anthropicEvent is any event of a stream; what does not belong to its type is
// left out.
type anthropicEvent struct {
	Type         string            `json:"type"`
	Message      *anthropicMessage `json:"message,omitempty"`
	Index        *int              `json:"index,omitempty"`
	ContentBlock *anthropicBlock   `json:"content_block,omitempty"`
	Delta        any               `json:"delta,omitempty"`
	Usage        *anthropicUsage   `json:"usage,omitempty"`
}

// anthropicDelta is what an event adds to a block.
type anthropicDelta struct {
	Type        string  `json:"type"`
	Text        *string `json:"text,omitempty"`
	Thinking    *string `json:"thinking,omitempty"`
	Signature   *string `json:"signature,omitempty"`
	PartialJSON *string `json:"partial_json,omitempty"`
}

// anthropicStop is what the last event but one adds to the message.
type anthropicStop struct {
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
}

// anthropicStream sends the events of one message.
type anthropicStream struct {
	*anthropic
	events *events
	blocks int // finished ones
}

func (s *anthropicStream) send(event anthropicEvent) error {
	return s.events.named(event.Type, event)
}

func (s *anthropicStream) begin(block anthropicBlock) {
	_ = s.send(anthropicEvent{Type: "content_block_start", Index: new(s.blocks), ContentBlock: &block})
}

func (s *anthropicStream) delta(d anthropicDelta) error {
	return s.send(anthropicEvent{Type: "content_block_delta", Index: new(s.blocks), Delta: d})
}

func (s *anthropicStream) end() {
	_ = s.send(anthropicEvent{Type: "content_block_stop", Index: new(s.blocks)})
	s.blocks++
}

func (s *anthropicStream) think(thinking string) {
	s.begin(thinkingBlock("", ""))
	for piece := range split(thinking) {
		_ = s.delta(anthropicDelta{Type: "thinking_delta", Thinking: &piece})
	}
	_ = s.delta(anthropicDelta{Type: "signature_delta", Signature: new(signature)})
	s.end()
}

// say sends the text, as one block.
func (s *anthropicStream) say(r Reply, pieces iter.Seq2[string, error]) error {
	begun := false
	for piece, err := range pieces {
		if err != nil {
			return err
		}
		if !begun {
			s.begin(textBlock(""))
			begun = true
		}
		if err := s.delta(anthropicDelta{Type: "text_delta", Text: &piece}); err != nil {
			return err
		}
	}
	if !begun {
		if !r.hasText("") {
			return nil
		}
		s.begin(textBlock(""))
	}
	s.end()
	return nil
}
