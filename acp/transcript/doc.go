// Package transcript projects the updates of one session into what people look at: messages, tool calls, plans and notes.
//
//	record := transcript.New(nil)
//	record.BeginTurn(prompt)
//	turn, err := session.Prompt(ctx, prompt, nil)
//	…
//	for n := range turn.Updates() {
//		show(record.Add(n))
//	}
//	record.EndTurn(turn.Wait(ctx))
//
// A [Transcript] is a consumer of acp like any other. It is data and has no goroutine. Every [Entry] is a snapshot that
// never changes: an update makes a new one with the same Index, so that readers and the writer do not get in each other's
// way.
//
// # What joins
//
// Chunks of one role join into one message. With a message id they join by it, until a tool call begins: what is said
// after it stands after it, as a message of its own with the same id. Without an id they join as long as no other entry
// comes between; updates that make no entry, such as usage, and patches of earlier entries do not count. A changed id
// begins a new message, and so does an id that comes or goes: codex and claude tell warnings from the model's words that
// way. Reasoning never joins an answer, history that is replayed never joins what is live, what is unsolicited does not
// join the answer before it without an id, and nothing joins across the beginning of a turn or a [Gap]. A chunk without
// any text joins and begins nothing.
//
// # Tool calls
//
// Announcements and patches of one id merge: members that were sent replace those before, absent and null ones change
// nothing. A completed or failed call keeps its status, whatever patches say. An announcement begins a new record only
// if a call of that id was announced before, is over, and this is a later turn or takes its status back: agents use ids
// again.
//
// # What is kept
//
// Everything is bounded, see [Options]. Updates that make no entry are counted by kind, see [Transcript.Others].
package transcript
