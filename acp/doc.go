// Package acp is a client runtime for the Agent Client Protocol, version 1.
//
// A [Client] connects to an agent over a [Transport], usually a [CommandTransport] that starts it as a child process. The
// [Conn] opens a [Session], a session takes prompts, and each prompt is a [Turn]:
//
//	client := acp.NewClient(acp.Implementation{Name: "crew", Version: "1.0.0"}, nil)
//	conn, err := client.Connect(ctx, &acp.CommandTransport{Command: "opencode", Args: []string{"acp"}})
//	…
//	session, err := conn.NewSession(ctx, "/home/me/project", nil)
//	turn, err := session.Prompt(ctx, acp.Text("What is in this folder?"), nil)
//	for n := range turn.Updates() {
//		…
//	}
//	result, err := turn.Wait(ctx)
//
// # The model
//
// Types have the names of the protocol. Unions are sealed interfaces with an [Unknown] variant that keeps what was sent;
// enums are open strings; a variant is chosen by its discriminator alone. Every update carries its raw bytes. Nothing that
// an agent sends fails a message: what cannot be decoded is left out with a [Warning].
//
// # The concurrency contract
//
// Ordered: the updates of one session come in the order in which they were read, with the outcome of a turn in its place:
// when Turn.Wait returns, all updates read before the outcome are in Turn.Updates. Updates that are read before their
// session is introduced, between turns, or after a turn are delivered too, flagged as late.
//
// Not ordered: the updates of different sessions, and the requests of the agent, which run side by side, each on a
// goroutine of its own. A request sees the tool call it is about with everything that was read of it before.
//
// Nobody waits for a consumer. The reader of a connection finds out what a frame is and hands it over; decoding is done
// where updates are consumed. A slow or stopped consumer delays neither other sessions, nor answers, nor requests. What is
// not read is kept until the stream is left, until the next prompt if nobody adopted it, or until the session ends; with
// NoUpdates nothing is kept. It is kept in memory within bounds and beyond them in files ([Buffers]); at the limit of
// those the session that overflows, and no other, has a [Gap] in its stream. Reading pauses, for two seconds at most, only
// for a disk that is slower than the agent.
//
// The first call of Session.Updates or Turn.Updates adopts the stream, at the call and not at the first iteration. A
// stream has one consumer; a second call gets an empty one. Leaving the loop unsubscribes and cancels nothing.
//
// Handlers may call any method of the connection but Close. No code of the caller runs under a lock.
//
// Every request of the agent gets exactly one answer: from a handler, an error for a method that nobody serves or a handler that
// fails, and "cancelled" as soon as the agent takes it back or its session or the connection ends. Questions (permissions, forms,
// addresses to visit) end with the turn, too; without a handler, or with one that fails, a permission is rejected. Files, terminals and
// extensions outlast the turn. What is served is what ClientOptions has handlers for, and what was advertised. Notifications of
// extensions come in order, on one goroutine.
//
// The settings of a session are as the agent says last, in the order of the wire, be it by an answer or by an update.
//
// A context that is passed to a method bounds that call and nothing else: neither a connection nor a turn ends with it. A
// call that is given up leaves nothing behind; its late answer is dropped and counted.
//
// A connection ends for one cause, which Conn.Err returns and every pending call fails with: [ErrClosed], a [DeathError]
// with what is known of the process, an [InactivityError], [ErrEcho] or [ErrNotACP]. Close stops the agent's process tree in steps and joins
// every goroutine.
package acp
