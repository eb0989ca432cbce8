import { afterEach, expect, test } from "vitest";
import { openEvents } from "../testing/event-stream.ts";
import { send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

async function session(at: TestShell, version = "2025-11-25"): Promise<Record<string, string>> {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const headers = { authorization: `Bearer ${at.admin}` };
  const answer = await send(at.mcp, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }), headers);
  return {
    ...headers,
    "mcp-session-id": answer.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": version,
    accept: "application/json, text/event-stream",
  };
}
const call = (at: TestShell, headers: Record<string, string>, name: string) =>
  openEvents(at.mcp, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 5, method: "tools/call", params: { name } }),
  });

// @proves mcp.sessions.priming-event mcp.sessions.resume
test("an answer begins with an empty event, and a client that lost its stream gets the rest with that event's id", async () => {
  shell = await startShell();
  let release = (): void => {};
  shell.dispatcher.add({
    name: "later",
    run: () => new Promise((resolve) => (release = () => resolve({ late: true }))),
  });
  const headers = await session(shell);
  const first = await call(shell, headers, "later");
  const opening = await first.next();
  expect(opening).toMatchObject({ data: "" });
  first.close();
  release();
  const again = await openEvents(shell.mcp, {
    headers: { ...headers, accept: "text/event-stream", "last-event-id": opening?.id ?? "" },
  });
  expect(await again.message()).toMatchObject({ id: 5, result: { structuredContent: { late: true } } });
});

// @proves mcp.sessions.no-priming-for-older
test("older clients get no empty event, which they could not read", async () => {
  shell = await startShell();
  const events = await call(shell, await session(shell, "2025-06-18"), "echo");
  expect((await events.next())?.data).toContain('"id":5');
});

test("an event id that was never given is refused", async () => {
  shell = await startShell();
  const headers = await session(shell);
  const answer = await send(
    shell.mcp,
    undefined,
    { ...headers, accept: "text/event-stream", "last-event-id": "nonsense" },
    "GET",
  );
  expect(answer.status).toBe(400);
});
