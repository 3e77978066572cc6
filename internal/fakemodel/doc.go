// Package fakemodel is a model server that calls no model: real agents are
// pointed at it, so that they can be run without an account, without a network
// and with the same answer every time. It serves the loopback interface only.
//
// # Parts
//
// What to say and how to say it are separate. A [Request] is what a client
// asked, whatever API it used; Options.Reply turns it into a [Reply]: text,
// thinking, a tool call, an HTTP error, slow text, or silence. Each API has a
// dialect in files of its own that decodes a body into a Request and writes a
// Reply in its own shape, whole or as an event stream:
//
//	POST …/chat/completions                     OpenAI chat completions
//	POST …/responses                            OpenAI responses
//	POST …/messages                             Anthropic messages
//	POST …/messages/count_tokens                how many tokens they have
//	POST …/models/MODEL:generateContent         Gemini
//	POST …/models/MODEL:streamGenerateContent   events with ?alt=sse, else an array
//	POST …/models/MODEL:countTokens             how many tokens that has
//	GET  …/models                               the models on offer, for all of them
//
// Paths are matched by their end, so any base path works. HEAD answers 200 to
// every path; everything else is 404, and all of it is in the journal.
//
// # Markers
//
// [DefaultReply] says "pong" unless the user text it is to answer has a marker.
// That is the last one a person may have written, if neither a tool result nor
// an answer came after it. Of several markers in it the last one counts, because
// agents put failed prompts and reminders into the same text.
//
//	@@TEXT words@@         reply with these words
//	@@TOOL name {json}@@   call this tool, whose name has no "@"; no arguments means {}
//	@@THINK@@              think first, then say "pong"
//	@@SLOW n ms@@          n chunks, ms milliseconds apart (default 60 and 250,
//	                       at most 100,000 chunks)
//	@@ENDLESS ms@@         chunks without an end (default 100), until the client or
//	                       the server goes away; not streamed, it hangs
//	@@ERR 400@@            HTTP status 400 to 599
//	@@BIG n@@              n bytes of text that never repeats (default 300000)
//	@@HANG@@               no answer until the client or the server goes away
//	@@EMPTY@@              an answer without text
//
// After a tool result it replies "done after tool: " and the first 80
// characters of the result. A call that looks like a title or another errand of
// the agent (see [Request.Utility]) gets "pong" whatever it quotes, and one that
// demands JSON a small value that fits its schema.
package fakemodel
