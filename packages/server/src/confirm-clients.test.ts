import { fileURLToPath } from "node:url";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as OldSse } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createRealClock } from "@steading/kernel";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openEvents } from "./testing/event-stream.ts";
import { pick, send } from "./testing/post.ts";
import { createSluiceTools, type SluiceTools } from "./testing/sluice-tools.ts";
import { startShell, type TestShell } from "./testing/start-shell.ts";

let sluice: SluiceTools;
let shell: TestShell;
beforeAll(async () => {
  sluice = createSluiceTools();
  shell = await startShell({
    dispatcher: sluice.dispatcher,
    approvals: sluice.approvals,
    clock: createRealClock(),
  });
});
afterAll(() => shell.close());
beforeEach(() => void sluice.opened.splice(0));

type Reply = { action: "accept"; content: { confirm: boolean } } | { action: "decline" } | { action: "cancel" };

/** A client that answers questions, or cannot. */
interface Asked {
  readonly questions: string[];
  call(name: string, input: Record<string, unknown>): Promise<{ isError: boolean; text: string }>;
  close(): Promise<void>;
}
interface Answer {
  readonly isError?: unknown;
  readonly content?: unknown;
}

const told = ({ isError, content }: Answer) => ({ isError: isError === true, text: pick<string>(content, 0, "text") });
const info = { name: "asked", version: "1" };
const capabilities = { elicitation: { form: {} } };
const headers = () => ({ Authorization: `Bearer ${shell.admin}` });
type Transport = Parameters<Client["connect"]>[0];

async function official(transport: Transport, reply: Reply | undefined, mode?: "auto" | { pin: string }) {
  const questions: string[] = [];
  const client = new Client(info, {
    ...(reply && { capabilities }),
    ...(mode !== undefined && { versionNegotiation: { mode } }),
  });
  if (reply)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      return reply;
    });
  await client.connect(transport);
  return {
    questions,
    call: async (name: string, input: Record<string, unknown>) =>
      told(await client.callTool({ name, arguments: input })),
    close: () => client.close(),
  };
}

async function versionOne(transport: unknown, reply: Reply | undefined): Promise<Asked> {
  const questions: string[] = [];
  const client = new OldClient(info, reply ? { capabilities } : {});
  if (reply)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return reply;
    });
  await client.connect(transport as Parameters<typeof client.connect>[0]); // its type is stricter about undefined
  return {
    questions,
    call: async (name, input) => told((await client.callTool({ name, arguments: input })) as Answer),
    close: () => client.close(),
  };
}

const http = () => new StreamableHTTPClientTransport(shell.mcp, { requestInit: { headers: headers() } });
const sse = () =>
  new SSEClientTransport(shell.mcp, {
    requestInit: { headers: headers() },
    eventSourceInit: {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...headers(), Accept: "text/event-stream" } }),
    },
  });
const stdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [
      "--conditions=@steading/source",
      "--import",
      "tsx",
      fileURLToPath(new URL("./testing/asking-hub.ts", import.meta.url)),
    ],
    stderr: "inherit",
  });
const oldHttp = () => new OldHttp(shell.mcp, { requestInit: { headers: headers() } });
const oldSse = () =>
  new OldSse(shell.mcp, {
    requestInit: { headers: headers() },
    eventSourceInit: { fetch: (url, init) => fetch(url, { ...init, headers: headers() }) },
  });

const clients: [string, (reply: Reply | undefined) => Promise<Asked>][] = [
  ["the official client of 2026-07-28", (reply) => official(http(), reply, { pin: "2026-07-28" })],
  ["the official client, left to negotiate", (reply) => official(http(), reply, "auto")],
  ["the official client of 2025", (reply) => official(http(), reply)],
  ["the official client over HTTP+SSE", (reply) => official(sse(), reply)],
  ["the official client over stdio, 2026", (reply) => official(stdio(), reply, "auto")],
  ["the official client over stdio, 2025", (reply) => official(stdio(), reply)],
  ["the version 1 client", (reply) => versionOne(oldHttp(), reply)],
  ["the version 1 client over HTTP+SSE", (reply) => versionOne(oldSse(), reply)],
];

// @proves mcp.confirm.legacy-elicitation mcp.confirm.accept-executes
test.each(clients)("%s is asked once and its yes carries the call out", { timeout: 30_000 }, async (_, connect) => {
  const client = await connect({ action: "accept", content: { confirm: true } });
  const done = await client.call("open_sluice", { percent: 40 });
  await client.close();
  expect(done.isError, done.text).toBe(false);
  expect(JSON.parse(done.text)).toMatchObject({ percent: 40 });
  expect(client.questions).toEqual(["Open the sluice to 40 %. Go ahead?"]);
});

// @proves mcp.confirm.decline-ends mcp.confirm.cancel-ends
test.each(clients.filter(([name]) => !name.includes("stdio")))(
  "%s says no and hears that nothing was sent",
  async (_, connect) => {
    for (const action of ["decline", "cancel"] as const) {
      const client = await connect({ action });
      const refused = await client.call("open_sluice", { percent: 40 });
      await client.close();
      expect(JSON.parse(refused.text)).toMatchObject({ code: "APPROVAL_DECLINED" });
      expect([refused.isError, client.questions.length]).toEqual([true, 1]);
    }
    expect(sluice.opened).toEqual([]);
  },
);

// @proves mcp.confirm.no-elicitation-two-steps mcp.confirm.never-by-default
test.each(clients)("%s without forms gets an id and goes on with it", { timeout: 30_000 }, async (_, connect) => {
  const client = await connect(undefined);
  const first = await client.call("open_sluice", { percent: 40 });
  const { code, approval } = JSON.parse(first.text) as Record<string, unknown>;
  const second = await client.call("open_sluice", { percent: 40, approval });
  const third = await client.call("open_sluice", { percent: 40, approval });
  await client.close();
  expect([first.isError, code]).toEqual([true, "CONFIRMATION_REQUIRED"]);
  expect(second.isError, second.text).toBe(false);
  expect(JSON.parse(third.text)).toMatchObject({ code: "APPROVAL_USED" });
});

// @proves mcp.confirm.top-class-second-channel
test.each(clients)("%s is never asked for what somebody else must approve", { timeout: 30_000 }, async (_, connect) => {
  const client = await connect({ action: "accept", content: { confirm: true } });
  const refused = await client.call("blow_dam", { percent: 100 });
  await client.close();
  expect(JSON.parse(refused.text)).toMatchObject({ code: "CONFIRMATION_REQUIRED", confirm: "approve" });
  expect([refused.isError, client.questions]).toEqual([true, []]);
  expect(sluice.opened).toEqual([]);
});

/** A session of the 2025 era by hand, whose answers to questions a test gives itself. */
async function rawSession() {
  const ask = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const opened = await send(
    shell.mcp,
    ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: { elicitation: {} }, clientInfo: info }),
    headers(),
  );
  const session = { ...headers(), "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const answerTo = (id: unknown, result: object) =>
    send(shell.mcp, JSON.stringify({ jsonrpc: "2.0", id, result }), session);
  const call = (percent: number) =>
    openEvents(shell.mcp, {
      method: "POST",
      headers: { ...session, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: ask(2, "tools/call", { name: "open_sluice", arguments: { percent } }),
    });
  return { call, answerTo };
}

// @proves mcp.confirm.legacy-elicitation mcp.confirm.max-rounds
test("a raw 2025 client reads elicitation/create on its call's stream, and is asked four times at most", async () => {
  const { call, answerTo } = await rawSession();
  const stream = await call(30);
  const asked = await stream.message();
  expect(asked).toMatchObject({
    method: "elicitation/create",
    params: { message: "Open the sluice to 30 %. Go ahead?", requestedSchema: { required: ["confirm"] } },
  });
  expect((await answerTo(pick(asked, "id"), { action: "accept", content: { confirm: true } })).status).toBe(202);
  expect(await stream.message()).toMatchObject({ id: 2, result: { structuredContent: { percent: 30 } } });
  stream.close();

  const again = await call(31);
  for (let round = 1; round <= 4; round++) {
    const question = await again.message();
    expect(question, `round ${round}`).toMatchObject({ method: "elicitation/create" });
    await answerTo(pick(question, "id"), { action: "accept", content: {} });
  }
  expect(await again.message()).toMatchObject({ id: 2, result: { isError: true } });
  again.close();
  expect(sluice.opened).toEqual([30]);
});

test("a 2025 client that leaves instead of answering carries nothing out", async () => {
  const { call } = await rawSession();
  const before = sluice.approvals.pending().length;
  const stream = await call(32);
  expect(await stream.message()).toMatchObject({ method: "elicitation/create" });
  stream.close();
  expect(sluice.approvals.pending()).toHaveLength(before + 1);
  expect(sluice.opened).toEqual([]);
});
