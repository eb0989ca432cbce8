import { seconds } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { openEvents } from "../testing/event-stream.ts";
import { send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "old", version: "1" } };
const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });

/** Opens a session a second after the one before. */
async function open(at: TestShell, token = at.admin): Promise<string> {
  await at.clock.advance(seconds(1));
  const answer = await send(at.mcp, initialize, { authorization: `Bearer ${token}` });
  expect(answer.status).toBe(200);
  return answer.headers.get("mcp-session-id") ?? "";
}

async function status(at: TestShell, session: string, token = at.admin): Promise<number> {
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
  return (await send(at.mcp, ping, { authorization: `Bearer ${token}`, "mcp-session-id": session })).status;
}

// @proves farm.mcp.session-caps farm.mcp.session-memory
test("whoever has all their sessions ends the one idle longest with the next, and nobody is turned away", async () => {
  shell = await startShell({ sessionsGiveWay: true, limits: { sessionsPerPrincipal: 3, sessions: 100 } });
  const vera = await open(shell, shell.viewer);
  const first = await open(shell);
  const second = await open(shell);
  const third = await open(shell);
  await shell.clock.advance(seconds(1));
  await status(shell, first); // in use, so the second is the one to go
  const fourth = await open(shell);
  expect(await status(shell, second)).toBe(404);
  for (const alive of [first, third, fourth]) expect(await status(shell, alive)).toBe(200);
  expect(await status(shell, vera, shell.viewer)).toBe(200);
  for (let i = 0; i < 10; i++) await open(shell);
  expect(shell.server.metrics()).toContain('steading_mcp_connections{transport="http"} 4\n');
  expect(shell.server.metrics()).toContain('steading_mcp_sessions_gave_way_total{transport="http"} 11\n');
});

test("in a full house somebody else's idle session makes room, one with an open stream does not", async () => {
  shell = await startShell({ sessionsGiveWay: true, limits: { sessionsPerPrincipal: 3, sessions: 3 } });
  const watching = await open(shell);
  const stream = await openEvents(shell.mcp, {
    headers: { authorization: `Bearer ${shell.admin}`, accept: "text/event-stream", "mcp-session-id": watching },
  });
  const idle = await open(shell);
  const vera = await open(shell, shell.viewer);
  const last = await open(shell, shell.viewer);
  expect(await status(shell, idle)).toBe(404);
  expect(await status(shell, watching)).toBe(200);
  for (const alive of [vera, last]) expect(await status(shell, alive, shell.viewer)).toBe(200);
  stream.close();
});

test("where every session has a stream, the one unheard of for longest ends with its stream", async () => {
  shell = await startShell({ sessionsGiveWay: true, limits: { sessionsPerPrincipal: 1 } });
  const session = await open(shell);
  const stream = await openEvents(shell.mcp, {
    headers: { authorization: `Bearer ${shell.admin}`, accept: "text/event-stream", "mcp-session-id": session },
  });
  expect(await status(shell, await open(shell))).toBe(200);
  expect(await stream.message()).toBeUndefined();
});
