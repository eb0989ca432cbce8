import { afterAll, beforeAll, expect, test } from "vitest";
import { createHandDispatcher, type HandTool } from "../testing/hand-dispatcher.ts";
import { HAND_TOOLS } from "../testing/hand-tools.ts";
import { openSession, startOldHubShell, type OldSession } from "../testing/old-hub-shell.ts";
import { send, type Posted } from "../testing/post.ts";
import type { TestShell } from "../testing/start-shell.ts";

const TOOLS: readonly HandTool[] = [
  ...HAND_TOOLS,
  { name: "unicode", run: () => ({ text: "ä\u2028\u0000😀" }) },
  {
    name: "crash",
    run() {
      throw new Error("a secret");
    },
  },
];

let shells: readonly TestShell[];
let sessions: readonly OldSession[];
beforeAll(async () => {
  shells = await Promise.all(
    [true, false].map((hotPath) => startOldHubShell({ dispatcher: createHandDispatcher(...TOOLS), hotPath })),
  );
  sessions = await Promise.all(shells.map((shell) => openSession(shell)));
});
afterAll(() => Promise.all(shells.map((shell) => shell.close())));

const hotCalls = (): number =>
  Number(/steading_mcp_requests_total\{[^}]*hot="true"[^}]*\} (\d+)/.exec(shells[0]?.server.metrics() ?? "")?.[1] ?? 0);

/** What a client can tell apart. Log references differ from call to call, the names of sessions from shell to shell. */
function visible({ status, headers, body }: Posted, { id }: OldSession): unknown {
  const shown = JSON.parse(JSON.stringify(body ?? null).replace(/\b[0-9a-f]{12}\b/g, "REF")) as unknown;
  return { status, type: headers.get("content-type"), isOwn: headers.get("mcp-session-id") === id, body: shown };
}

async function onBoth(body: string, headers: Record<string, string> = {}): Promise<readonly unknown[]> {
  return Promise.all(
    sessions.map(async (session, n) =>
      visible(await send(shells[n]?.mcp ?? "", body, { ...session.headers, ...headers }), session),
    ),
  );
}

const call = (params: unknown, more: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params, ...more });

test.each([
  call({ name: "echo" }),
  call({ name: "echo", arguments: { text: "hi" } }),
  call({ name: "echo", arguments: { text: 5 } }),
  call({ name: "echo", arguments: { text: "hi" }, _meta: {} }),
  call({ name: "echo", arguments: { text: "hi" }, _meta: { progressToken: 1 } }),
  call({ name: "echo" }, { id: 'a "string"' }),
  call({ name: "unicode" }),
  call({ name: "refuse" }),
  call({ name: "crash" }),
  call({ name: "who.am.i" }),
  call({ name: "nothing" }),
  call({ name: 5 }),
  call({ name: "echo", arguments: [1] }),
  call(undefined),
])("a call of a session is answered alike with and without the instance: %s", async (body) => {
  const [hot, cold] = await onBoth(body);
  expect(hot).toEqual(cold);
});

test("so are calls whose headers are not in order", async () => {
  for (const headers of [
    { accept: "application/json" },
    { "mcp-protocol-version": "1999-01-01" },
    { "mcp-protocol-version": "2025-06-18" },
  ]) {
    const [hot, cold] = await onBoth(call({ name: "echo", arguments: { text: "hi" } }), headers);
    expect(hot).toEqual(cold);
  }
});

test("plain calls take the short way and are counted, and somebody else's session is not found", async () => {
  const before = hotCalls();
  await onBoth(call({ name: "echo", arguments: { text: "hi" } }));
  expect(hotCalls()).toBeGreaterThan(before);
  const [shell] = shells;
  const [session] = sessions;
  if (!shell || !session) throw new Error("There is no shell.");
  const stranger = { ...session.headers, "mcp-session-id": "11111111-1111-4111-8111-111111111111" };
  expect((await send(shell.mcp, call({ name: "echo" }), stranger)).status).toBe(404);
});
