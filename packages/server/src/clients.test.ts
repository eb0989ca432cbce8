import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startShell, type TestShell } from "./testing/start-shell.ts";

let shell: TestShell;
beforeAll(async () => {
  shell = await startShell({ limits: { toolsPerPage: 4 } });
  shell.resources.put("test://doc/1", "one");
});
afterAll(() => shell.close());

const requestInit = () => ({ headers: { Authorization: `Bearer ${shell.admin}` } });

test.each([
  ["left to negotiate", { mode: "auto" as const }, "modern"],
  ["pinned to 2026-07-28", { mode: { pin: "2026-07-28" } }, "modern"],
  ["that only knows 2025", undefined, "legacy"],
])("the official client %s lists, pages, calls and reads", async (_, versionNegotiation, era) => {
  const client = new Client(
    { name: "official", version: "1" },
    versionNegotiation === undefined ? {} : { versionNegotiation },
  );
  await client.connect(new StreamableHTTPClientTransport(shell.mcp, { requestInit: requestInit() }));
  expect(client.getProtocolEra()).toBe(era);
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual(["echo", "count", "refuse", "wait", "who.am.i", "operate"]);
  expect(await client.callTool({ name: "echo", arguments: { text: "hi" } })).toMatchObject({
    structuredContent: { echo: "hi" },
  });
  expect(await client.callTool({ name: "refuse" })).toMatchObject({ isError: true });
  await expect(client.callTool({ name: "nobody" })).rejects.toMatchObject({ code: -32602 });
  expect(await client.readResource({ uri: "test://doc/1" })).toMatchObject({ contents: [{ text: "one" }] });
  const progress: number[] = [];
  await client.callTool({ name: "count" }, { onprogress: ({ progress: done }) => progress.push(done) });
  expect(progress[0]).toBe(1);
  await client.close();
});

test("the version 1 client lists, pages, calls and reads", async () => {
  const client = new OldClient({ name: "old", version: "1" });
  await client.connect(new OldTransport(shell.mcp, { requestInit: requestInit() }));
  const first = await client.listTools();
  expect(first.tools).toHaveLength(4);
  const second = await client.listTools({ cursor: first.nextCursor });
  expect(second.tools).toHaveLength(2);
  expect(second.nextCursor).toBeUndefined();
  expect(await client.callTool({ name: "echo", arguments: { text: "hi" } })).toMatchObject({
    structuredContent: { echo: "hi" },
  });
  expect(await client.callTool({ name: "refuse" })).toMatchObject({ isError: true });
  expect(await client.readResource({ uri: "test://doc/1" })).toMatchObject({ contents: [{ text: "one" }] });
  await client.close();
});
