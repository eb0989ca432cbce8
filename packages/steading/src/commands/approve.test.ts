import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createRealClock,
  defineTool,
  silentLog,
  type Door,
  type JsonObject,
  type Part,
  type Reception,
} from "@steading/kernel";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { createHub, type Hub } from "../hub/create-hub.ts";
import { parseSettings } from "../settings/read-settings.ts";
import { runMain } from "../testing/run-main.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // whole hubs, on a machine that may be busy
afterAll(() => vi.resetConfig());

let dir: string;
let opened: number;
let hub: Hub;
let url: string;
let token: string;
const clients: Client[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "steading-approve-"));
  opened = 0;
  await startHub();
  token = (await hub.firstToken()) ?? expect.fail("the first start makes a token");
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await hub.stop();
  rmSync(dir, { recursive: true });
});

async function startHub(): Promise<void> {
  hub = await createHub({
    settings: parseSettings("listen: [{port: 0}]"),
    data: dir,
    clock: createRealClock(),
    log: silentLog,
    more: ({ door, reception }) => [sluice(door, reception)],
  });
  await hub.start(new AbortController().signal);
  ({ url } = await hub.listen());
}

/** A sluice that opens only when a person said yes. */
function sluice(door: Door, reception: Reception): Part {
  door.registerObserver("sluice", () => ({
    read: () => Promise.resolve(reception.received(opened)),
    satisfies: () => true,
  }));
  const open = defineTool({
    name: "open_sluice",
    title: "Open the sluice",
    summary: "Opens it.",
    input: z.object({ percent: z.number() }),
    intent: "MUTATE",
    confirm: "approve",
    minimumRole: "operator",
    async handler({ percent }, { perform }) {
      const { receipt } = await perform({
        arguments: { percent },
        target: "sluice",
        toward: "live",
        summary: `Open the sluice to ${percent} %.`,
        observer: "sluice",
        observeWith: {},
        drive: {
          send: (wire) => {
            wire.firstByte();
            opened += 1;
            return Promise.resolve(true);
          },
        },
      });
      return { action: receipt.action };
    },
  });
  return {
    name: "sluice",
    toolsets: [{ name: "sluice", tools: [open] }],
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    health: () => ({ status: "ok" }),
  };
}

async function asModel(tool: string, input: JsonObject) {
  const client = new Client({ name: "model", version: "1" });
  clients.push(client);
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  const answer = await client.callTool({ name: tool, arguments: input });
  const words = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { isError: answer.isError === true, words };
}

async function command(...argv: string[]) {
  const ran = runMain([...argv, "--data", dir]);
  return { code: await ran.code, out: ran.out(), err: ran.err() };
}

async function askedFor(): Promise<string> {
  const asked = await asModel("open_sluice", { percent: 40 });
  expect(asked.isError).toBe(true);
  const waiting = JSON.parse((await command("approve", "--list", "--json")).out) as { approvals: { id: string }[] };
  expect(waiting.approvals).toMatchObject([
    { tool: "open_sluice", kind: "approve", asked_by: "admin", summary: "Open the sluice to 40 %." },
  ]);
  const [{ id } = { id: "" }] = waiting.approvals;
  expect(asked.words).toContain(id);
  return id;
}

// @proves steading.command.approve
test("what a model asks for waits until the command line approves it, and happens once", async () => {
  const id = await askedFor();
  expect(opened).toBe(0);
  expect((await asModel("open_sluice", { percent: 40, approval: id })).isError, "nobody has approved it").toBe(true);
  const yes = await command("approve", id);
  expect(yes).toMatchObject({ code: 0, out: expect.stringContaining("Approved: Open the sluice to 40 %.") });
  expect(opened, "deciding sends nothing").toBe(0);
  expect((await asModel("open_sluice", { percent: 41, approval: id })).words).toContain("APPROVAL_MISMATCH");
  await asModel("open_sluice", { percent: 40, approval: id });
  expect(opened).toBe(1);
  expect((await asModel("open_sluice", { percent: 40, approval: id })).words).toContain("APPROVAL_USED");
  expect(opened).toBe(1);
});

test("the asking model cannot decide for itself", async () => {
  const id = await askedFor();
  expect((await asModel("decide_approval", { id, approve: true })).words).toContain("APPROVAL_OWN");
  expect((await asModel("open_sluice", { percent: 40, approval: id })).words).toContain("APPROVAL_PENDING");
  expect(opened).toBe(0);
});

test("a declined approval never executes", async () => {
  const id = await askedFor();
  expect(await command("approve", id, "--decline")).toMatchObject({
    code: 0,
    out: "Declined: Open the sluice to 40 %.\n",
  });
  expect((await asModel("open_sluice", { percent: 40, approval: id })).words).toContain("APPROVAL_DECLINED");
  expect(await command("approve", id)).toMatchObject({ code: 1, err: expect.stringContaining("declined") });
  expect(opened).toBe(0);
});

test("what waits outlives a restart", async () => {
  const id = await askedFor();
  await hub.stop();
  await startHub();
  expect((await command("approve", "--list")).out).toContain(id);
  expect((await command("approve", id)).code).toBe(0);
  await asModel("open_sluice", { percent: 40, approval: id });
  expect(opened).toBe(1);
});

test("a viewer decides nothing, and both or neither of id and --list is wrong usage", async () => {
  const id = await askedFor();
  expect((await command("approve", id, "--role", "viewer")).code).not.toBe(0);
  expect((await command("approve")).code).toBe(2);
  expect((await command("approve", id, "--list")).code).toBe(2);
  expect((await command("approve", "none")).code).toBe(1);
  expect(JSON.parse((await command("approve", "--list", "--json")).out)).toMatchObject({ count: 1 });
});
