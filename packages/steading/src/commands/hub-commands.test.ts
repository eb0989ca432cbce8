import { createServer, type AddressInfo, type Server } from "node:net";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { runMain, type Ran } from "../testing/run-main.ts";

let dir: string;
let running: Ran[];
// Whole hubs start here, each with its database; a machine that is busy takes its time for that.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(() => vi.resetConfig());

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "steading-hub-"));
  running = [];
});
afterEach(async () => {
  for (const each of running) each.stop();
  await Promise.all(running.map(({ code }) => code));
  rmSync(dir, { recursive: true });
});

interface Started extends Ran {
  readonly ready: Readonly<Record<string, unknown>>;
}

/** Runs a hub until its ready file is there. */
async function hub(
  command: "start" | "demo",
  flags: readonly string[] = [],
  variables: Record<string, string> = {},
): Promise<Started> {
  const file = join(dir, "ready.json");
  const ran = runMain([command, "--port", "0", "--data", join(dir, "data"), "--ready-file", file, ...flags], {
    variables,
  });
  running.push(ran);
  await vi.waitFor(() => expect(existsSync(file), ran.err()).toBe(true), { timeout: 45_000, interval: 10 });
  return { ...ran, ready: JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown> };
}

async function call(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const ran = runMain(["call", ...args, "--data", join(dir, "data")]);
  return { code: await ran.code, out: ran.out(), err: ran.err() };
}

// @proves steading.ready-file.url steading.ready-file.mcp steading.ready-file.pid steading.ready-file.real-ports steading.flag.port-zero-picks-free steading.ready-file.written-after-listening steading.ready-file.token-optional steading.command.start steading.flag.port steading.flag.data
test("start writes its ready file once it listens, with the real port and a token that works", async () => {
  const { ready, stop, code } = await hub("start");
  expect(ready).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/),
    mcp: `${String(ready["url"])}/mcp`,
    farm: null,
    devices: null,
    mqtt: null,
    token: expect.stringMatching(/^.{32,}$/),
    pid: process.pid,
  });
  expect(statSync(join(dir, "ready.json")).mode & 0o777).toBe(0o600);
  expect((await fetch(`${String(ready["url"])}/health`)).status).toBe(200);
  expect((await fetch(`${String(ready["url"])}/readyz`)).status).toBe(200);
  const answer = runMain(["call", "query", "--url", String(ready["mcp"]), "--token", String(ready["token"])]);
  expect(await answer.code).toBe(0);
  stop();
  expect(await code).toBe(0);
  expect(existsSync(join(dir, "ready.json"))).toBe(false);
});

// @proves steading.first-start.creates-admin steading.first-start.prints-how-to-connect steading.first-start.prints-once
test("the first start prints how to connect, a later one does not", async () => {
  const first = await hub("start");
  expect(first.out()).toContain("mcpServers");
  expect(first.out()).toContain(String(first.ready["token"]));
  first.stop();
  await first.code;
  const second = await hub("start");
  expect(second.out()).toContain("Steading is ready at");
  expect(second.out()).not.toContain("mcpServers");
  expect(second.ready).not.toHaveProperty("token");
});

// @proves steading.bootstrap-token.becomes-admin-token steading.ready-file.token-optional
test("a bootstrap token becomes the first admin's, is not printed, and is told again only while it is accepted", async () => {
  const given = "bootstrap-token-0123456789-0123456789";
  const first = await hub("start", [], { STEADING_BOOTSTRAP_TOKEN: given });
  expect(first.ready["token"]).toBe(given);
  expect(first.out()).not.toContain(given);
  const call = runMain(["call", "query", "--url", String(first.ready["mcp"])], {
    variables: { STEADING_TOKEN: given },
  });
  expect(await call.code).toBe(0);
  first.stop();
  await first.code;
  const other = "another-token-0123456789-0123456789-x";
  const second = await hub("start", [], { STEADING_BOOTSTRAP_TOKEN: other });
  expect(second.ready).not.toHaveProperty("token");
});

// @proves steading.command.demo steading.access.demo-writes steading.command.call steading.mount.system steading.command.exit-codes
test("the demo's lamp is switched by call, and every kind of failure has its exit code", async () => {
  await hub("demo");
  await vi.waitFor(async () => expect((await call("get_property", '{"path":"/lamps/demo/on"}')).code).toBe(0));
  const set = await call("set_property", '{"path":"/lamps/demo/on","value":true}', "--json");
  expect(set).toMatchObject({ code: 0, err: "" });
  expect(JSON.parse(set.out)).toMatchObject({ status: "confirmed", receipt: { stage: "observed", observed: true } });
  const system = await call("query", '{"path":"/system","includeProperties":true}');
  expect(JSON.parse(system.out)).toMatchObject({
    path: "/system",
    subjects: { hub: { version: { value: expect.any(String) }, access: { value: "write" } } },
  });

  expect(await call("get_property", '{"path":"/nowhere"}')).toMatchObject({ code: 1, out: "" });
  expect(await call("no_such_tool")).toMatchObject({ code: 1 });
  expect(await call("set_property", '{"path":"/lamps/demo/on","value":true}', "--role", "viewer")).toMatchObject({
    code: 4,
  });
});

// @proves steading.listen.credential-asked steading.command.exit-codes
test("a wrong token over HTTP ends with 4", async () => {
  const { ready } = await hub("start");
  const refused = runMain(["call", "query", "--url", String(ready["mcp"]), "--token", "x".repeat(40)]);
  expect(await refused.code).toBe(4);
  expect(refused.err()).toContain("did not accept the token");
});

// @proves steading.listen.taken-port-names-setting steading.command.exit-codes
test("a taken port ends the start with 5 and names port and setting", async () => {
  const other: Server = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo; // not a pipe
  const ran = runMain(["start", "--port", String(port), "--data", join(dir, "data")]);
  expect(await ran.code).toBe(5);
  expect(ran.err()).toContain(`Port ${port} is taken`);
  expect(ran.err()).toContain("--port");
  other.close();
  await once(other, "close");
  const later = await hub("start");
  expect(later.ready, "a failed start makes no token").toHaveProperty("token");
});

test("a data directory in use ends a second start with 5", async () => {
  await hub("start");
  const second = runMain(["start", "--port", "0", "--data", join(dir, "data")]);
  expect(await second.code).toBe(5);
  expect(second.err()).toContain("in use by");
});

// @proves steading.flag.config steading.flag.host
test("--config and --host are used", async () => {
  const config = join(dir, "mine.yaml");
  writeFileSync(config, "lamps:\n  - {name: porch, port: 9, timeoutMs: 50}\nlog: {level: error}\n");
  const { ready } = await hub("start", ["--config", config, "--host", "localhost"]);
  expect(ready["url"]).toMatch(/^http:\/\/localhost:\d+$/);
  expect((await call("query", '{"path":"/lamps"}')).out).toContain("porch");
  expect(await call("set_property", '{"path":"/lamps/porch/on","value":true}')).toMatchObject({
    code: 1,
    err: expect.stringContaining("SOURCE_UNAVAILABLE"),
  });
});

// @proves steading.command.json-everywhere
test("with --json the addresses are one line of JSON on standard output", async () => {
  const { ready, out } = await hub("start", ["--json"]);
  expect(out().trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.parse(out())).toEqual(ready);
});

test("a demo without a data directory leaves nothing behind", async () => {
  const file = join(dir, "ready.json");
  const ran = runMain(["demo", "--port", "0", "--ready-file", file, "--enable-all"]);
  running.push(ran);
  await vi.waitFor(() => expect(existsSync(file), ran.err()).toBe(true), { timeout: 45_000, interval: 10 });
  const data = /Data: (\S+)\. Stop/.exec(ran.out())?.[1] ?? "";
  expect(existsSync(data)).toBe(true);
  ran.stop();
  expect(await ran.code).toBe(0);
  expect(existsSync(data)).toBe(false);
});

// @proves steading.command.serve-conformance
test("serve --conformance serves the suite's fixtures to anybody on loopback, and nothing of them is in a real hub", async () => {
  const file = join(dir, "ready.json");
  const ran = runMain(["serve", "--conformance", "--port", "0", "--ready-file", file]);
  running.push(ran);
  await vi.waitFor(() => expect(existsSync(file), ran.err()).toBe(true), { timeout: 45_000, interval: 10 });
  const { mcp } = JSON.parse(readFileSync(file, "utf8")) as { mcp: string };
  const fixture = runMain(["call", "test_simple_text", "--url", mcp]);
  expect(await fixture.code, fixture.err()).toBe(0);
  ran.stop();
  expect(await ran.code).toBe(0);
  await hub("start");
  expect((await call("test_simple_text")).code).toBe(1);
});

// @proves steading.address.essential steading.address.essential-at-most-25 steading.address.essential-has-subjects-six steading.address.essential-has-get-action steading.address.essential-has-find-describe-call
test("the short list has the tools of the graph, the way to all others and get_action", async () => {
  const { ready } = await hub("demo");
  const client = new Client({ name: "test", version: "1" });
  const headers = { Authorization: `Bearer ${String(ready["token"])}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${String(ready["mcp"])}/essential`), { requestInit: { headers } }),
  );
  const names = (await client.listTools()).tools.map(({ name }) => name);
  await client.close();
  expect(names.length).toBeLessThanOrEqual(25);
  expect(names).toEqual(
    expect.arrayContaining([
      "query",
      "get_property",
      "set_property",
      "list_types",
      "list_methods",
      "invoke_method",
      "find_tools",
      "describe_tool",
      "call_tool",
      "get_action",
    ]),
  );
});

// @proves steading.demo.prints-client-configuration steading.address.essential-in-snippets
test("what the demo prints can be pasted and works", async () => {
  const { out } = await hub("demo");
  const [snippet] = /^ {2}\{$[\s\S]*?^ {2}\}$/m.exec(out()) ?? expect.fail("no snippet");
  const { url, headers } = (JSON.parse(snippet) as Pasted).mcpServers.steading;
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const answer = await client.callTool({ name: "get_property", arguments: { path: "/system/hub/access" } });
  await client.close();
  expect(answer.structuredContent).toMatchObject({ value: "write" });
});

interface Pasted {
  readonly mcpServers: { readonly steading: { readonly url: string; readonly headers: Record<string, string> } };
}
