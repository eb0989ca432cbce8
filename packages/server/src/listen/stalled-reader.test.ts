import { connect } from "node:net";
import { minutes } from "@steading/kernel";
import { expect, test } from "vitest";
import { startShell } from "../testing/start-shell.ts";

// @proves mcp.listen.slow-reader-cut
test("a reader that never reads is cut, and others go on", async () => {
  const shell = await startShell({ limits: { unreadBytes: 64 * 1024, resourceUpdatedEvery: minutes(0) } });
  const uri = `test://doc/${"x".repeat(1_900)}`;
  shell.resources.put(uri, "text");
  const { port } = new URL(shell.url);
  const socket = connect(Number(port), "127.0.0.1");
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "subscriptions/listen",
    params: { notifications: { resourceSubscriptions: [uri] }, _meta },
  });
  socket.pause();
  socket.on("error", () => {});
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${shell.admin}\r\nContent-Type: application/json\r\n` +
      `MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => shell.server.metrics()).toContain('connections{transport="listen"} 1');
  // The operating system takes some megabytes before anything piles up on our side.
  for (let i = 0; i < 20_000 && shell.server.metrics().includes('connections{transport="listen"} 1'); i++) {
    shell.resources.put(uri, String(i));
    await shell.clock.advance(minutes(0));
  }
  expect(shell.server.metrics()).toContain('streams_cut_total{transport="listen"} 1');
  expect(shell.server.metrics()).toContain("steading_mcp_streams 0\n");
  socket.destroy();
  await shell.close();
});
