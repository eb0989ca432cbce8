import { connect } from "node:net";
import { expect, test } from "vitest";
import { send } from "../testing/post.ts";
import { startShell } from "../testing/start-shell.ts";

// @proves mcp.sse.slow-reader-cut
test("an SSE stream whose reader stalls is cut", { timeout: 20_000 }, async () => {
  const shell = await startShell({ limits: { unreadBytes: 64 * 1024 } });
  shell.dispatcher.add({ name: "long", run: () => ({ text: "x".repeat(500_000) }) });
  const socket = connect(Number(new URL(shell.url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${shell.admin}\r\n\r\n`);
  const endpoint = await new Promise<string>((resolve) => {
    socket.on("data", (data) => {
      const found = /data: (\/mcp\/messages\S+)/.exec(data.toString("latin1"))?.[1];
      if (found === undefined) return;
      socket.pause();
      resolve(found);
    });
  });
  const headers = { authorization: `Bearer ${shell.admin}` };
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  await send(
    `${shell.url}${endpoint}`,
    JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    headers,
  );
  // The operating system takes some megabytes before anything piles up on our side.
  for (let id = 1; id < 60 && !shell.server.metrics().includes('streams_cut_total{transport="http+sse"} 1'); id++) {
    await send(
      `${shell.url}${endpoint}`,
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "long" } }),
      headers,
    );
  }
  expect(shell.server.metrics()).toContain('streams_cut_total{transport="http+sse"} 1');
  await expect.poll(() => shell.server.metrics()).toContain('connections{transport="http+sse"} 0');
  socket.destroy();
  await shell.close();
});
