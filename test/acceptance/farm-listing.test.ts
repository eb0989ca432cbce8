import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startFarmPlace, type FarmPlace } from "../support/farm-place.ts";

let place: FarmPlace;
beforeAll(async () => void (place = await startFarmPlace()));
afterAll(() => place.close());

async function connect(role: "viewer" | "operator"): Promise<{ readonly client: Client; readonly told: () => number }> {
  const client = new Client({ name: "a64", version: "1.0.0" });
  let told = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (told += 1));
  const authorization = `Bearer ${await place.login(role)}`;
  const transport = new StreamableHTTPClientTransport(new URL(`${place.mcp}/mcp`), {
    requestInit: { headers: { authorization } },
  });
  await client.connect(transport as Transport); // the SDK's own types disagree about an absent session id
  return { client, told: () => told };
}

// @proves farm.description.list-changed
test("equipment that comes changes the descriptions, and every session is told to look again", async () => {
  const sessions = [await connect("viewer"), await connect("operator")];
  const soon = { timeout: 20_000, interval: 20 };
  // A stream that is opened a moment too late misses what is told; each change is told anew.
  let made = 0;
  await vi.waitFor(async () => {
    await place.part.core.book.create({ name: `Probe ${(made += 1)}`, protocol: "other" }, "test");
    await vi.waitFor(() => expect(sessions.every(({ told }) => told() > 0)).toBe(true), { timeout: 3_000 });
  }, soon);
  for (const { client } of sessions) {
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "get_equipment_list")?.description).toContain("'Probe 1 (ID 1, sensor)'");
    await client.close();
  }
});

// @proves farm.tool.unknown
test("a tool that is not there is an error of the protocol, -32602", async () => {
  const { client } = await connect("operator");
  await expect(client.callTool({ name: "open_the_gates", arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  await client.close();
});
