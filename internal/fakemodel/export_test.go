package fakemodel

import (
	"context"
	"fmt"
	"net/http/httptest"
)

// SetBodyLimit lets a test meet the limit with a small body.
func (s *Server) SetBodyLimit(n int64) { s.limit = n }

// Split is split, as a slice.
func Split(text string) []string {
	var pieces []string
	for piece := range split(text) {
		pieces = append(pieces, piece)
	}
	return pieces
}

// Answer decodes a body and answers it with what reply says, whole and streamed
// whatever the body asks for.
func Answer(name string, body []byte, reply func(Request) Reply) (whole, stream string, err error) {
	apis := map[string]api{
		APIChat: chatAPI(), APIResponses: responsesAPI(), APIAnthropic: anthropicAPI(),
		APIGemini: geminiAPI("m", geminiWhole),
	}
	s := New(nil)
	req, d, err := apis[name].decode(s, body)
	if err != nil {
		return "", "", fmt.Errorf("cannot decode: %w", err)
	}
	r := reply(req).normal()
	w := httptest.NewRecorder()
	d.whole(w, r, r.Text)
	events := httptest.NewRecorder()
	if err := d.stream(startEvents(events), r, s.pieces(context.Background(), r)); err != nil {
		panic(err)
	}
	return w.Body.String(), events.Body.String(), nil
}
