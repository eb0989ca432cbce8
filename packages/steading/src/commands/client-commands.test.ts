import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createHubs, type Hubs, type StartedHub } from "../testing/run-hubs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // a whole hub, on a machine that may be busy

let hubs: Hubs;
let demo: StartedHub;
beforeAll(async () => {
  hubs = createHubs();
  demo = await hubs.hub("demo");
  await vi.waitFor(async () => {
    const { code } = await hubs.run(["query", "/lamps/demo"]);
    if (code !== 0) throw new Error("the demo's lamp is not there yet");
  });
});
afterAll(async () => {
  await hubs.end();
  vi.resetConfig();
});

const set = (value: boolean) =>
  hubs.run(["call", "set_property", JSON.stringify({ path: "/lamps/demo/on", value }), "--json"]);

// @proves steading.command.query
test("query shows the graph as an outline", async () => {
  const shown = await hubs.run(["query", "/home", "--depth", "2", "--properties"]);
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toMatch(/^\/home\n/);
  expect(shown.out).toContain("  bedroom  (Room, Bedroom)\n");
  expect(shown.out).toMatch(/\n {4}humidity = 50 Percent\n/);
});

test("query finds by type, and --json is the tool's own answer", async () => {
  const found = await hubs.run(["query", "/", "--types", "Thermostat", "--depth", "5", "--json"]);
  expect(found.code).toBe(0);
  expect(JSON.parse(found.out)).toMatchObject({ subjectCount: 2, truncated: false });
});

test("query reaches a hub by its address and a token, too", async () => {
  const world = { variables: { STEADING_TOKEN: demo.ready.token ?? "" } };
  const shown = await hubs.run(["query", "/system", "--url", demo.ready.mcp], "", world);
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("hub") });
});

test("query of a path that is not there ends with 1 and a sentence", async () => {
  const missing = await hubs.run(["query", "/nowhere"]);
  expect(missing).toMatchObject({ code: 1, out: "" });
  expect(missing.err).toContain("There is no nowhere");
  const json = await hubs.run(["query", "/nowhere", "--json"]);
  expect(JSON.parse(json.err)).toMatchObject({ code: "PATH_NOT_FOUND" });
});

// @proves steading.command.watch
test("watch prints what is, then a line for each change, until it is stopped", async () => {
  await set(false);
  const ran = hubs.begin(["watch", "/lamps/demo/on", "--json"]);
  const values = () =>
    ran
      .out()
      .trimEnd()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { value: unknown }).value);
  await vi.waitFor(() => expect(values()).toEqual([false]), { timeout: 10_000 });
  await set(true);
  await vi.waitFor(() => expect(values()).toEqual([false, true]), { timeout: 10_000 });
  await set(false);
  await vi.waitFor(() => expect(values()).toEqual([false, true, false]), { timeout: 10_000 });
  ran.stop();
  expect(await ran.code).toBe(0);
  expect(ran.err()).toBe("");
});

test("watch of a subject follows all its properties", async () => {
  const ran = hubs.begin(["watch", "/home/livingRoom"]);
  await vi.waitFor(() => expect(ran.out()).toContain("/home/livingRoom/humidity = 45 Percent"), { timeout: 10_000 });
  expect(ran.out()).toContain("/home/livingRoom/temperature = 21.5 DegreeCelsius");
  ran.stop();
  expect(await ran.code).toBe(0);
});

// @proves steading.command.actions
test("actions lists what was done, and shows one by its id", async () => {
  const { receipt } = JSON.parse((await set(true)).out) as { receipt: { action: string } };
  const list = await hubs.run(["actions", "--limit", "1"]);
  expect(list.code).toBe(0);
  expect(list.out).toMatch(/^WHEN\s+ID\s+STAGE\s+BY\s+WHAT\n/);
  expect(list.out).toContain(receipt.action);
  const one = await hubs.run(["actions", receipt.action, "--json"]);
  expect(JSON.parse(one.out)).toMatchObject({ id: receipt.action, in_doubt: false });
  expect(await hubs.run(["actions", "--in-doubt"])).toMatchObject({ code: 0, out: "No actions.\n" });
  expect(await hubs.run(["actions", "none"])).toMatchObject({ code: 1, out: "" });
});

// @proves steading.command.query-needs-hub steading.command.watch-needs-hub steading.command.approve-needs-hub steading.command.call-needs-hub
test.each([["query"], ["watch", "/x"], ["actions"], ["approve", "--list"], ["call", "query"]])(
  "%s without a running hub ends with 3",
  async (...argv) => {
    const other = createHubs();
    const ran = await other.run(argv);
    await other.end();
    expect(ran).toMatchObject({ code: 3, out: "" });
    expect(ran.err).toContain("No hub is running");
  },
);
