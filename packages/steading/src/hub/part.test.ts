import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealClock, defineTool, silentLog, type Health, type Part } from "@steading/kernel";
import { expect, test } from "vitest";
import * as z from "zod";
import { parseSettings } from "../settings/read-settings.ts";
import { createHub } from "./create-hub.ts";

const LONG = 60_000; // a busy machine takes its time for a whole hub

// @proves kernel.part.has-name-and-toolsets kernel.part.optional-members kernel.part.start-takes-signal
// @proves kernel.part.stop-returns-promise kernel.part.health-honest
test(
  "a part with a name, tools, start, stop and health is whole: it runs in a hub, is waited for, and is believed",
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "steading-part-"));
    const events: string[] = [];
    let health: Health = { status: "ok" };
    const look = defineTool({
      name: "look_at_well",
      title: "Look",
      summary: "Looks into the well.",
      input: z.object({}),
      intent: "READ_ONLY",
      minimumRole: "viewer",
      handler: () => ({ water: true }),
    });
    const well: Part = {
      name: "well",
      toolsets: [{ name: "well", tools: [look] }],
      start: async (signal) => void events.push(`start ${signal instanceof AbortSignal}`),
      async stop() {
        await new Promise((resolve) => setImmediate(resolve));
        events.push("stopped");
      },
      health: () => health,
    };
    const hub = await createHub({
      settings: parseSettings("listen: [{port: 0}]"),
      data: dir,
      clock: createRealClock(),
      log: silentLog,
      more: () => [well],
    });
    try {
      await hub.start(new AbortController().signal);
      const { url } = await hub.listen();
      const token = (await hub.firstToken()) ?? expect.fail("the first start makes a token");
      const list = await fetch(`${url}/mcp/well`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/list",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/list",
          params: {
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
              "io.modelcontextprotocol/clientCapabilities": {},
            },
          },
        }),
      });
      expect(await list.text()).toContain('"look_at_well"');
      expect(hub.health()).toEqual({ status: "ok" });
      health = { status: "degraded", reason: "The rope is worn." };
      expect(hub.health()).toMatchObject({ status: "degraded", reason: expect.stringContaining("The rope is worn.") });
      health = { status: "down", reason: "It is dry." };
      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      expect(events).toEqual(["start true"]);
    } finally {
      await hub.stop();
      rmSync(dir, { recursive: true });
    }
    expect(events).toEqual(["start true", "stopped"]);
  },
  LONG,
);
