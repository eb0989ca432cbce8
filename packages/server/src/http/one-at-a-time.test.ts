import { connect } from "node:net";
import { expect, test } from "vitest";
import { startShell, type TestShell } from "../testing/start-shell.ts";

function request(shell: TestShell, id: number, name: string): string {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, _meta } });
  return (
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${shell.admin}\r\nContent-Type: application/json\r\n` +
    `MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: ${name}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

test("requests sent ahead are served in their turn", async () => {
  const shell = await startShell();
  const socket = connect(Number(new URL(shell.url).port), "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  let release = (): void => {};
  shell.dispatcher.add({ name: "later", run: () => new Promise((resolve) => (release = () => resolve({}))) });
  socket.write(request(shell, 1, "later") + request(shell, 2, "echo") + request(shell, 3, "echo"));
  await expect.poll(() => shell.dispatcher.calls.length).toBe(1);
  release();
  await expect.poll(() => text.match(/"id":\d/g)).toEqual(['"id":1', '"id":2', '"id":3']);
  socket.destroy();
  await shell.close();
});

test("a client that sends many ahead is cut off", async () => {
  const shell = await startShell();
  const socket = connect(Number(new URL(shell.url).port), "127.0.0.1");
  const closed = new Promise((resolve) => socket.on("close", resolve).on("error", () => {}));
  socket.write(Array.from({ length: 40 }, (_, id) => request(shell, id, "wait")).join(""));
  await closed;
  expect(shell.dispatcher.calls.length).toBeLessThanOrEqual(1);
  await shell.close();
});
