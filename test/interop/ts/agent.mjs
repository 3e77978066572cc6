// An agent made with the official TypeScript SDK, which does what the prompts tell it to and keeps a journal of all frames:
//
//   node agent.mjs PACKAGES JOURNAL
//
// PACKAGES is the folder that install.sh made. The journal has one JSON value a line: first the methods that the SDK knows,
// then every request, notification and response of either side as the SDK's own schemas read it, or why they refuse it.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [packages, journalFile] = process.argv.slice(2);
const packaged = createRequire(path.join(packages, "package.json"));
const entry = packaged.resolve("@agentclientprotocol/sdk/unstable");
const acp = await import(pathToFileURL(entry));
// The schemas are not among the exports: the SDK looks at what an agent receives by itself, but not at the answers.
const schemas = await import(pathToFileURL(path.join(path.dirname(entry), "schema", "zod.gen.js")));
const { $defs } = JSON.parse(fs.readFileSync(packaged.resolve("@agentclientprotocol/sdk/schema/v1/schema.unstable.json")));

const journal = fs.openSync(journalFile, "a");
const note = (line) => fs.writeSync(journal, JSON.stringify(line) + "\n");

note({
  methods: {
    agent: Object.values(acp.AGENT_METHODS),
    client: Object.values(acp.CLIENT_METHODS),
    protocol: Object.values(acp.PROTOCOL_METHODS),
    proxy: Object.values(acp.PROXY_METHODS),
  },
});

// parsers has the schema of each payload, by who takes the method, the method, and what the payload is.
const parsers = new Map();
for (const [name, def] of Object.entries($defs)) {
  const [kind] = name.match(/(Request|Response|Notification)$/) ?? [];
  if (kind && def["x-method"]) {
    parsers.set(`${def["x-side"]} ${def["x-method"]} ${kind.toLowerCase()}`, schemas["z" + name]);
  }
}

// check journals a payload that the SDK does not look at by itself.
function check(from, kind, side, method, value = {}) {
  const parser = parsers.get(`${side} ${method} ${kind}`);
  const read = parser ? parser.safeParse(value) : { success: method.startsWith("_"), data: value };
  note(read.success ? { from, kind, method, value: read.data } : { from, kind, method, value, fault: String(read.error ?? "no schema") });
}

// watch returns a transform that shows every message to one that sees.
const watch = (see) =>
  new TransformStream({
    transform(message, controller) {
      see(message);
      controller.enqueue(message);
    },
  });

const asked = new Map(); // methods of the client's requests, by id
const asking = new Map(); // methods of this agent's requests, by id

function received(m) {
  if (m.method === undefined) {
    const method = asking.get(m.id) ?? "?";
    if (m.error) note({ from: "client", kind: "error", method, value: m.error });
    else check("client", "response", "client", method, m.result);
  } else if (m.id !== undefined) {
    asked.set(m.id, m.method);
  } else if (m.method === acp.methods.protocol.cancelRequest) {
    check("client", "notification", "protocol", m.method, m.params);
  }
}

function sent(m) {
  if (m.method === undefined) {
    const method = asked.get(m.id) ?? "?";
    if (m.error) note({ from: "agent", kind: "error", method, value: m.error });
    else check("agent", "response", "agent", method, m.result);
  } else if (m.id !== undefined) {
    asking.set(m.id, m.method);
    check("agent", "request", "client", m.method, m.params);
  } else {
    check("agent", "notification", m.method.startsWith("$/") ? "protocol" : "client", m.method, m.params);
  }
}

// What this agent has.

const sessions = new Map();
let auth = { state: "unauthenticated" };
const signedIn = {
  state: "authenticated",
  accounts: [{ label: "work", active: true, name: "A. User", email: "user@example.com", organization: "Example" }, { label: "home" }],
};
const providers = [
  { providerId: "main", supported: ["anthropic", "openai", "azure", "vertex", "bedrock"], required: true, current: { apiType: "openai", baseUrl: "https://models.example.com/v1" } },
  { providerId: "spare", supported: ["openai"], required: false, current: { apiType: "openai", baseUrl: "https://spare.example.com/v1" } },
];

function openSession({ sessionId = `session-${sessions.size + 1}`, cwd, additionalDirectories = [] }) {
  const values = { model: "small", effort: "low", web: true };
  const session = { values, mode: "ask", title: "A talk", updatedAt: "2026-11-30T12:00:00Z", ...sessions.get(sessionId), sessionId, cwd, additionalDirectories, status: "open" };
  sessions.set(sessionId, session);
  return session;
}

function sessionOf({ sessionId }) {
  const session = sessions.get(sessionId);
  if (!session) throw new acp.RequestError(-32002, `no session ${sessionId}`);
  return session;
}

const modes = (s) => ({
  currentModeId: s.mode,
  availableModes: [{ id: "ask", name: "Ask", description: "asks before it changes anything" }, { id: "code", name: "Code" }],
});

const configOptions = ({ values }) => [
  {
    type: "select", id: "model", name: "Model", description: "who answers", category: "model", currentValue: values.model,
    options: [
      { group: "fast", name: "Fast", options: [{ value: "small", name: "Small", description: "quick" }] },
      { group: "good", name: "Good", options: [{ value: "big", name: "Big" }] },
    ],
  },
  {
    type: "select", id: "effort", name: "Effort", category: "thought_level", currentValue: values.effort,
    options: [{ value: "low", name: "Low" }, { value: "high", name: "High" }],
  },
  { type: "boolean", id: "web", name: "Web", category: "model_config", currentValue: values.web },
];

const setup = (s) => ({ modes: modes(s), configOptions: configOptions(s) });

const capabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true, acp: false },
  sessionCapabilities: {
    list: {}, delete: {}, additionalDirectories: {}, systemPrompt: { mode: { override: {} } }, fork: {}, archive: {}, status: {},
    title: {}, resume: {}, close: {},
  },
  auth: { status: {}, logout: {} },
  providers: {},
};

const usage = { totalTokens: 60, inputTokens: 10, outputTokens: 20, thoughtTokens: 5, cachedReadTokens: 15, cachedWriteTokens: 10 };

async function authIs(client, status) {
  auth = status;
  await client.notify("auth/status_update", status);
}

// What this agent answers.

const requests = {
  initialize: () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: capabilities,
    agentInfo: { name: "interop", title: "Interop agent", version: "2.4.0" },
    authMethods: [
      { id: "browser", name: "Browser", description: "opens a browser" },
      { type: "terminal", id: "terminal", name: "Terminal", description: "asks in a terminal", args: ["--login"], env: { LOGIN: "1" } },
    ],
  }),
  authenticate: async ({ client, requestId }) => {
    const schema = { type: "object", properties: { code: { type: "string" } } };
    const form = await client.request("elicitation/create", { mode: "form", requestId, message: "Which code?", requestedSchema: schema });
    if (form.action !== "accept") throw new acp.RequestError(-32000, "nobody has signed in");
    const url = { mode: "url", requestId, message: "Sign in", elicitationId: "sign-in", url: "https://example.com/sign-in" };
    await client.request("elicitation/create", url);
    await client.notify("elicitation/complete", { elicitationId: "sign-in" });
    await authIs(client, signedIn);
    return {};
  },
  "auth/status": () => auth,
  logout: async ({ client }) => {
    await authIs(client, { state: "unauthenticated" });
  },
  "providers/list": () => ({ providers }),
  "providers/set": ({ params: { providerId, apiType, baseUrl } }) => {
    providers.find((p) => p.providerId === providerId).current = { apiType, baseUrl };
  },
  "providers/disable": ({ params }) => {
    providers.find((p) => p.providerId === params.providerId).current = null;
  },
  "session/new": ({ params }) => {
    const session = openSession(params);
    return { sessionId: session.sessionId, ...setup(session) };
  },
  "session/load": async ({ params, client }) => {
    sessionOf(params);
    const session = openSession(params);
    const say = (sessionUpdate, text) =>
      client.notify("session/update", { sessionId: session.sessionId, update: { sessionUpdate, messageId: text, content: { type: "text", text } } });
    await say("user_message_chunk", "question");
    await say("agent_message_chunk", "answer");
    return setup(session);
  },
  "session/resume": ({ params }) => {
    sessionOf(params);
    return setup(openSession(params));
  },
  "session/fork": ({ params }) => {
    const { values, mode, title } = sessionOf(params);
    const session = Object.assign(openSession({ ...params, sessionId: undefined }), { values: { ...values }, mode, title });
    return { sessionId: session.sessionId, ...setup(session) };
  },
  // One session a page.
  "session/list": ({ params: { cwd, cursor, archived = "exclude" } }) => {
    const wanted = { exclude: (s) => !s.archived, include: () => true, only: (s) => s.archived };
    const found = [...sessions.values()].filter((s) => (!cwd || s.cwd === cwd) && wanted[archived](s));
    const at = Number(cursor ?? 0);
    const page = found.slice(at, at + 1).map(({ sessionId, cwd, additionalDirectories, title, updatedAt, archived = false }) => ({
      sessionId, cwd, additionalDirectories, title, updatedAt, archived,
    }));
    return { sessions: page, nextCursor: at + 1 < found.length ? String(at + 1) : undefined };
  },
  "session/close": ({ params }) => {
    sessionOf(params).status = "saved";
  },
  "session/delete": ({ params }) => {
    sessionOf(params);
    sessions.delete(params.sessionId);
  },
  "session/archive": ({ params }) => {
    Object.assign(sessionOf(params), { archived: true, status: "saved" });
  },
  "session/unarchive": ({ params }) => {
    sessionOf(params).archived = false;
  },
  "session/status": ({ params }) => ({ status: sessionOf(params).status }),
  "session/set_title": ({ params }) => ({ title: (sessionOf(params).title = params.title.trim()) }),
  "session/set_mode": ({ params }) => {
    sessionOf(params).mode = params.modeId;
  },
  "session/set_config_option": ({ params }) => {
    const session = sessionOf(params);
    session.values[params.configId] = params.value;
    return { configOptions: configOptions(session) };
  },
  "session/prompt": async ({ params, client }) => {
    const session = sessionOf(params);
    session.cancelled = false;
    const { stopReason, answers } = await play(client, session, JSON.parse(params.prompt[0].text));
    return { stopReason: session.cancelled ? "cancelled" : stopReason, usage, _meta: { answers } };
  },
};

const notifications = {
  "session/cancel": ({ params }) => {
    const session = sessions.get(params.sessionId); // none is a subagent's
    if (!session) return;
    session.cancelled = true;
    session.wake?.();
  },
};

// play does the steps of a prompt in their order, and returns the stop reason and what the client has answered:
//
//   {"notify": METHOD, "params": …}
//   {"request": METHOD, "params": …, "cancel": true, "fails": CODE, "until": TEXT}
//   {"await": "cancel"}
//   {"stop": REASON}
//
// cancel takes the request back at once, fails says that an error is the answer; until asks again as long as the output does
// not have the text. In the params "${session}", "${cwd}", "${terminal}" and "${node}" stand for the session, its folder, the
// terminal that was created last, and this program's interpreter.
async function play(client, session, steps) {
  const answers = [];
  let stopReason = "end_turn";
  for (const step of steps) {
    const params = step.params && fill(step.params, session);
    if (step.notify) await client.notify(step.notify, params);
    else if (step.request) answers.push(await ask(client, session, step, params));
    else if (step.await) await new Promise((wake) => (session.cancelled ? wake() : (session.wake = wake)));
    else stopReason = step.stop;
  }
  return { stopReason, answers };
}

async function ask(client, session, step, params) {
  for (;;) {
    const taken = new AbortController();
    const answer = client.request(step.request, params, { cancellationSignal: taken.signal });
    if (step.cancel) taken.abort();
    let result;
    try {
      result = await answer;
    } catch (error) {
      if (error.code === step.fails) return { fails: error.code };
      throw error;
    }
    session.terminal = result.terminalId ?? session.terminal;
    if (!step.until || result.output.includes(step.until)) return result;
    await delay(10);
  }
}

function fill(value, session) {
  const names = { "${session}": session.sessionId, "${cwd}": session.cwd, "${terminal}": session.terminal, "${node}": process.execPath };
  if (typeof value === "string") return value.replace(/\$\{\w+\}/g, (name) => names[name] ?? name);
  if (Array.isArray(value)) return value.map((item) => fill(item, session));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, session)]));
}

const app = acp.agent({ name: "interop" });
const seen = (kind, handler) => (context) => {
  note({ from: "client", kind, method: context.method, value: context.params });
  return handler(context);
};
for (const [method, handler] of Object.entries(requests)) app.onRequest(method, seen("request", handler));
for (const [method, handler] of Object.entries(notifications)) app.onNotification(method, seen("notification", handler));

const raw = (params) => params;
app.onRequest("_interop/ask", raw, seen("request", ({ params }) => ({ asked: params })));
// It tells when it has begun, and when it was taken back.
app.onRequest("_interop/wait", raw, seen("request", async ({ client, signal }) => {
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  await client.notify("_interop/tell", { waits: true });
  await aborted;
  await client.notify("_interop/tell", { waits: false });
  throw acp.RequestError.requestCancelled();
}));
app.onNotification("_interop/tell", raw, seen("notification", ({ client, params }) => client.notify("_interop/tell", { told: params })));

const wire = acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
const outgoing = watch(sent);
outgoing.readable.pipeTo(wire.writable).catch(() => {}); // the connection tells of it
const connection = app.connect({ readable: wire.readable.pipeThrough(watch(received)), writable: outgoing.writable });
connection.closed.then(() => process.exit(0));
