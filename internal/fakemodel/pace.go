package fakemodel

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"strings"
	"time"
)

// errClosed says that the server was closed in the middle of an answer.
var errClosed = errors.New("the fake model is closed")

// pause waits for d, for the client to go away, or for the server to close.
// A negative d waits for the latter two only.
func (s *Server) pause(ctx context.Context, d time.Duration) error {
	var after <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		after = timer.C
	}
	select {
	case <-after:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return errClosed
	}
}

// pieces yields the text of a reply in the chunks it is streamed in, pausing
// between them if the reply is slow or endless. It ends with an error if the client or the
// server goes away; whoever consumes it stops there.
func (s *Server) pieces(ctx context.Context, r Reply) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if r.Kind != KindSlow && r.Kind != KindEndless {
			for piece := range split(r.Text) {
				if !yield(piece, nil) {
					return
				}
			}
			return
		}
		for i := 0; i < r.Chunks || r.Kind == KindEndless; i++ {
			if i > 0 {
				if err := s.pause(ctx, r.Every); err != nil {
					yield("", err)
					return
				}
			}
			// Numbered, because some clients drop a chunk equal to the last.
			if !yield(string(r.Kind)+strconv.Itoa(i)+" ", nil) {
				return
			}
		}
	}
}

// maxPieces is how many chunks a text becomes at most, so that a big text
// makes big chunks.
const maxPieces = 8

// split cuts a text into pieces of similar size at word boundaries, the space
// staying with the word before it. The pieces joined are the text.
func split(text string) iter.Seq[string] {
	size := len(text)/maxPieces + 1
	return func(yield func(string) bool) {
		rest := text
		for rest != "" {
			end := len(rest)
			if size < end {
				if space := strings.IndexAny(rest[size-1:], " \n"); space >= 0 {
					end = size + space
				}
			}
			if !yield(rest[:end]) {
				return
			}
			rest = rest[end:]
		}
	}
}
