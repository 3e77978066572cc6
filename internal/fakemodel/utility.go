package fakemodel

import "strings"

// Utility reports whether the request looks like an errand of the agent itself,
// such as a title for the conversation or a judgement about a command. It is
// one if it demands JSON, if its only tool is one for handing in the answer, if
// it offers no tools and speaks of such an errand, or if it is one of those known
// to offer some, such as the keeping of a memory. Agents make such calls
// when they like, so never count calls without leaving these out.
func (r Request) Utility() bool {
	if r.JSON {
		return true
	}
	// Of Qwen Code, with tools.
	if mentions(r.LastUser(), "conversation history in your context and update durable managed memory", "[suggestion mode: ") {
		return true
	}
	if len(r.Tools) == 1 {
		// The way of agents that do not trust models to write bare JSON.
		return mentions(r.Tools[0], "respond_in_schema", "classify_result")
	}
	if len(r.Tools) > 0 {
		return false
	}
	for _, m := range r.Messages {
		if (m.Role == roleSystem || m.Role == roleDeveloper) && mentions(m.Text,
			"title", "summar", "topic", "classif", "next speaker", "next_speaker", "reviewer",
			"policy spec", "security monitor", "you are judging", "commit message", "state_snapshot") {
			return true
		}
	}
	// Of a user text much less is an errand: people write of titles too.
	return mentions(r.LastUser(), "<policy_spec>", "generate a title for", "generate a short title",
		"summarize the user's primary intent", "summarize this conversation")
}

// mentions reports whether a text has one of the words, which are in lower
// case, in any case.
func mentions(text string, words ...string) bool {
	text = strings.ToLower(text)
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
