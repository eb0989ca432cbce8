import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { runMain, type Ran } from "../testing/run-main.ts";

let dir: string;
// Whole hubs start here, each with its database; a machine that is busy takes its time for that.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(() => vi.resetConfig());

beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "steading-stdio-"))));
afterEach(() => rmSync(dir, { recursive: true }));

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

function stdio(...flags: string[]): Ran {
  return runMain(["stdio", "--data", join(dir, "data"), ...flags]);
}

/** Sends one request line and waits for its answer. */
async function ask(ran: Ran, request: { readonly id: number }): Promise<Record<string, unknown>> {
  ran.input.write(`${JSON.stringify(request)}\n`);
  return vi.waitFor(
    () => {
      const lines = ran.out().split("\n").filter(Boolean);
      const found = lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .find(({ id }) => id === request.id);
      return found ?? expect.fail(ran.err());
    },
    { timeout: 15_000, interval: 10 },
  );
}

const call = (id: number, name: string, args: Record<string, unknown>) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

// @proves steading.command.stdio steading.stdio.in-process-without-hub steading.stdio.second-host-shares steading.stdio.socket-mode-0600 steading.stdio.no-credential-asked mcp.stdio.stdout-protocol-only mcp.stdio.exit-on-eof mcp.stdio.serves-in-process
test("with no hub it serves by itself; a second one shares it; standard output is MCP alone", async () => {
  const first = stdio();
  expect(await ask(first, INITIALIZE)).toMatchObject({ result: { serverInfo: { name: "steading" } } });
  const socket = join(dir, "data", "steading.sock");
  expect(statSync(socket).mode & 0o777).toBe(0o600);

  const second = stdio();
  expect(await ask(second, INITIALIZE)).toMatchObject({ result: { serverInfo: { name: "steading" } } });
  second.input.end();
  expect(await second.code).toBe(0);
  expect(second.err(), "an attached one has nothing to log").toBe("");

  for (const line of first.out().trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  first.input.end();
  expect(await first.code).toBe(0);
  expect(existsSync(socket)).toBe(false);
});

// @proves steading.stdio.role-operator steading.stdio.role-flag mcp.stdio.role-default mcp.stdio.role-setting
test("a stdio caller is operator, or what --role says", async () => {
  const first = stdio("--role", "viewer");
  await ask(first, INITIALIZE);
  const asViewer = await ask(first, call(2, "set_property", { path: "/nowhere", value: 1 }));
  const second = stdio();
  await ask(second, INITIALIZE);
  const asOperator = await ask(second, call(2, "set_property", { path: "/nowhere", value: 1 }));
  expect(JSON.stringify(asViewer)).toContain("ACCESS_DENIED");
  expect(JSON.stringify(asOperator)).toContain("PATH_NOT_FOUND");
  second.input.end();
  await second.code;
  first.input.end();
  await first.code;
});

// @proves steading.stdio.role-environment mcp.stdio.role-setting
test("STEADING_ROLE sets the role", async () => {
  const ran = runMain(["stdio", "--data", join(dir, "data")], { variables: { STEADING_ROLE: "viewer" } });
  await ask(ran, INITIALIZE);
  expect(JSON.stringify(await ask(ran, call(2, "set_property", { path: "/nowhere", value: 1 })))).toContain(
    "ACCESS_DENIED",
  );
  ran.input.end();
  expect(await ran.code).toBe(0);
});

test("one that is attached ends with 3 when the hub goes away", async () => {
  const first = stdio();
  await ask(first, INITIALIZE);
  const second = stdio();
  await ask(second, INITIALIZE);
  first.stop();
  expect(await first.code).toBe(0);
  expect(await second.code).toBe(3);
  expect(second.err()).toContain("The hub went away");
});
