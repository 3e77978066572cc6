// The subject "ts": the TypeScript SDK, used as its documentation shows, with an active session whose updates are read
// one by one. Called as: node client.mjs BENCH SPEC. It prints a result as one line of JSON.

import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";

const [, , bench, text] = process.argv;
const spec = JSON.parse(text);
const window = 1024;
const tally = { updates: 0, asked: 0, text: 0 };
const still = new Int32Array(new SharedArrayBuffer(4));
let credits; // undefined if the stream is not paced

// handled counts one update with its text.
function handled(...texts) {
  for (const s of texts) {
    tally.text += s.length;
    if (s.charCodeAt(0) === 0 && s.charCodeAt(s.length - 1) === 0) throw new Error("a text that no agent sent");
  }
  if (spec.sleep > 0) Atomics.wait(still, 0, 0, spec.sleep / 1e6);
  tally.updates++;
  if (credits && tally.updates % (window / 2) === 0) credits.write("1");
}

function consume(update) {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
    case "agent_thought_chunk":
      return handled(update.content.text);
    case "tool_call":
      return handled(update.title);
    case "tool_call_update":
      return handled(update.content[0].content.text);
    case "plan":
      return handled(update.entries[0].content, update.entries[1].content);
  }
}

// turn prompts in every session and reads until every turn has stopped.
async function turn(sessions, prompt) {
  await Promise.all(
    sessions.map(async (session) => {
      const answered = session.prompt(prompt);
      for (let m = await session.nextUpdate(); m.kind !== "stop"; m = await session.nextUpdate()) consume(m.update);
      await answered;
    }),
  );
}

async function measure(ctx, result) {
  await ctx.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  const sessions = [];
  for (let i = 0; i < spec.sessions; i++) sessions.push(await ctx.buildSession(tmpdir()).start());
  const long = spec.kind === "prompt";
  const prompt = long ? readFileSync(spec.textFile, "utf8") : "What is in this folder?";
  if (spec.warm > 0) await turn(sessions, prompt);
  const before = { ...tally };
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  for (let i = 0; i < (long ? spec.items : 1); i++) await turn(sessions, prompt);
  result.wall = Number(process.hrtime.bigint() - start);
  const used = process.cpuUsage(cpu);
  result.cpu = (used.user + used.system) * 1000;
  for (const key of Object.keys(tally)) result[key] = tally[key] - before[key];
}

const dir = mkdtempSync(join(tmpdir(), "bench"));
const server = createServer((socket) => {
  credits = socket;
  socket.on("error", () => {});
});
if (spec.paced) {
  spec.credit = join(dir, "credit");
  await new Promise((resolve) => server.listen(spec.credit, resolve));
}
const agent = spawn(bench, ["produce", JSON.stringify(spec)], { stdio: ["pipe", "pipe", "inherit"] });
const result = { updates: 0, asked: 0, text: 0, wall: 0, cpu: 0, mallocs: 0, died: "" };
try {
  await client({ name: "bench" })
    .onRequest(methods.client.session.requestPermission, () => {
      tally.asked++;
      return { outcome: { outcome: "selected", optionId: "allow" } };
    })
    .connectWith(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)), (ctx) => measure(ctx, result));
} catch (error) {
  result.updates = tally.updates;
  result.died = `died after ${tally.updates + tally.asked}: ${error}`;
}
agent.kill();
rmSync(dir, { recursive: true, force: true });
console.log(JSON.stringify(result));
process.exit(0);
