package fakemodel

import "strings"

// space is what may stand between the parts of a marker.
const space = " \t\n\f\r"

// lastMarker finds the last marker of a text: its word and what follows it. A
// marker ends at the next "@@", but a tool call with arguments at the next "}@@",
// so that these may contain "@@". Texts are long and anything may be in them, so
// this takes one pass, however many beginnings have no end.
func lastMarker(text string) (word, rest string, ok bool) {
	braces := true // until a search says that no "}@@" is left
	for {
		_, after, found := strings.Cut(text, "@@")
		if !found {
			return word, rest, ok
		}
		begun := markerWord(after)
		body := after[len(begun):]
		end := -1
		if begun == "TOOL" && braces {
			end, braces = callEnd(body)
		}
		if begun != "" && end < 0 {
			end = plainEnd(body)
		}
		if end < 0 {
			text = text[len(text)-len(after)-1:] // by one byte: "@@@EMPTY@@" has a marker
			continue
		}
		word, rest, ok = begun, strings.TrimSpace(body[:end]), true
		text = body[end+len("@@"):]
	}
}

// markerWord returns the word of a marker that a text begins with, "" if there
// is none.
func markerWord(text string) string {
	for _, word := range []string{"TEXT", "TOOL", "THINK", "SLOW", "ENDLESS", "ERR", "BIG", "HANG", "EMPTY"} {
		if strings.HasPrefix(text, word) {
			return word
		}
	}
	return ""
}

// callEnd returns where the "@@" is that ends a tool call with arguments, -1 if
// it has none or there is no such end. The name of a tool has no "@". braces is
// false if there is no such end for any other call either.
func callEnd(body string) (end int, braces bool) {
	name := strings.TrimLeft(body, space)
	cut := strings.IndexAny(name, space+"@")
	if len(name) == len(body) || cut < 0 {
		return -1, true
	}
	args := strings.TrimLeft(name[cut:], space)
	if !strings.HasPrefix(args, "{") {
		return -1, true
	}
	end = strings.Index(args[1:], "}@@")
	if end < 0 {
		return -1, false
	}
	return len(body) - len(args) + end + len("{}"), true
}

// plainEnd returns where the "@@" is that ends a marker, -1 if what follows the
// word makes it none.
func plainEnd(body string) int {
	end := strings.Index(body, "@@")
	if end > 0 && !strings.Contains(space, body[:1]) && strings.Trim(body[:end], "0123456789") != "" {
		return -1
	}
	return end
}
