package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	pong            = "pong"
	defaultChunks   = 60
	defaultEvery    = 250 * time.Millisecond
	defaultEndless  = 100 * time.Millisecond
	defaultBigBytes = 300_000
	maxBigBytes     = 64 << 20
	maxChunks       = 100_000
	resultShown     = 80 // characters of a tool result that are repeated
)

// DefaultReply obeys the markers the package documents. A marker it cannot read
// is answered with a text that says so.
func DefaultReply(r Request) Reply {
	switch {
	case r.JSON: // whoever demands it fails on anything else
		return Reply{Text: example(r.Schema)}
	case r.Utility():
		return Reply{Text: pong}
	}
	latest, _ := r.latest()
	if latest.Role == roleTool {
		return Reply{Text: "done after tool: " + firstRunes(latest.Text, resultShown)}
	}
	word, rest, ok := lastMarker(latest.Text)
	if !ok {
		return Reply{Text: pong}
	}
	reply, err := readMarker(word, rest)
	if err != nil {
		return Reply{Text: fmt.Sprintf("cannot read marker %s: %v", word, err)}
	}
	return reply
}

func readMarker(word, rest string) (Reply, error) {
	switch word {
	case "TEXT":
		return Reply{Text: rest}, nil
	case "TOOL":
		return readTool(rest)
	case "THINK":
		return Reply{Thinking: "pondering", Text: pong}, nil
	case "SLOW":
		n, err := numbers(rest, defaultChunks, int(defaultEvery/time.Millisecond))
		if err != nil {
			return Reply{}, err
		}
		if n[0] > maxChunks {
			return Reply{}, fmt.Errorf("more than %d chunks", maxChunks)
		}
		return Reply{Kind: KindSlow, Chunks: n[0], Every: time.Duration(n[1]) * time.Millisecond}, nil
	case "ENDLESS":
		n, err := numbers(rest, int(defaultEndless/time.Millisecond))
		if err != nil {
			return Reply{}, err
		}
		return Reply{Kind: KindEndless, Every: time.Duration(n[0]) * time.Millisecond}, nil
	case "ERR":
		n, err := numbers(rest, 500)
		if err != nil {
			return Reply{}, err
		}
		if n[0] < 400 || n[0] > 599 {
			return Reply{}, errors.New("the status is not one of 400 to 599")
		}
		return Reply{Kind: KindError, Status: n[0]}, nil
	case "BIG":
		n, err := numbers(rest, defaultBigBytes)
		if err != nil {
			return Reply{}, err
		}
		if n[0] > maxBigBytes {
			return Reply{}, fmt.Errorf("more than %d bytes", maxBigBytes)
		}
		return Reply{Text: bigText(n[0])}, nil
	case "HANG":
		return Reply{Kind: KindHang}, nil
	default: // EMPTY, the last of the words
		return Reply{}, nil
	}
}

func readTool(rest string) (Reply, error) {
	name, args := rest, ""
	if cut := strings.IndexAny(rest, space); cut >= 0 {
		name, args = rest[:cut], strings.TrimSpace(rest[cut:])
	}
	if name == "" {
		return Reply{}, errors.New("no tool name")
	}
	if args == "" {
		args = "{}"
	}
	if err := checkObject([]byte(args)); err != nil {
		return Reply{}, fmt.Errorf("cannot read the arguments: %w", err)
	}
	return Reply{Kind: KindTool, Tool: ToolCall{Name: name, Args: json.RawMessage(args)}}, nil
}

// numbers reads up to len(defaults) whole numbers; missing ones are defaults.
func numbers(text string, defaults ...int) ([]int, error) {
	fields := strings.Fields(text)
	if len(fields) > len(defaults) {
		return nil, fmt.Errorf("%d numbers where at most %d belong", len(fields), len(defaults))
	}
	for i, field := range fields {
		n, err := strconv.ParseUint(field, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%q is not a whole number", field)
		}
		defaults[i] = int(n)
	}
	return defaults, nil
}

// bigText counts up until it has exactly n bytes. It never repeats itself:
// agents stop a repetitive model, and some drop a chunk equal to the one before.
func bigText(n int) string {
	var b strings.Builder
	b.Grow(n + 16)
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte(' ')
	}
	return b.String()[:n]
}

// firstRunes returns the first n characters of s. It holds on to no more of s
// than that.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return strings.Clone(s[:i])
		}
		n--
	}
	return s
}
