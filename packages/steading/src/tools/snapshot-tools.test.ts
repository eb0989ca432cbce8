import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHubs, type Hubs } from "../testing/run-hubs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // whole hubs, on a machine that may be busy
afterAll(() => vi.resetConfig());

let hubs: Hubs;
beforeEach(() => void (hubs = createHubs()));
afterEach(() => hubs.end());

async function ask(tool: string, input: object, ...flags: string[]): Promise<Record<string, unknown>> {
  const { out, err } = await hubs.run(["call", tool, JSON.stringify(input), "--json", ...flags]);
  return JSON.parse(out === "" ? err : out) as Record<string, unknown>;
}

// @proves kernel.snapshot.query-accepts-id kernel.snapshot.get-property-accepts-id
test("a snapshot shows the graph as it was, to whoever took it, until it is released", async () => {
  const { ready } = await hubs.hub("demo");
  const target = "/home/bedroom/thermostat/target";
  const { snapshot_id: id, expires_at: until } = await ask("take_snapshot", {});
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(Date.parse(String(until))).toBeGreaterThan(Date.now());
  await ask("set_property", { path: target, value: 25 });

  expect(await ask("get_property", { path: target })).toMatchObject({ value: 25 });
  expect(await ask("get_property", { path: target, snapshot_id: id })).toMatchObject({ value: 20 });
  expect(
    JSON.stringify(
      await ask("query", { path: "/home/bedroom/thermostat", includeProperties: true, depth: 0, snapshot_id: id }),
    ),
  ).toContain("20");
  // Another principal: the admin's token over HTTP instead of the local user.
  const other = ["--url", ready.mcp, "--token", ready.token ?? ""];
  expect(await ask("get_property", { path: target, snapshot_id: id }, ...other)).toMatchObject({
    code: "SNAPSHOT_NOT_FOUND",
  });

  expect(await ask("release_snapshot", { snapshot_id: id })).toEqual({ released: true });
  expect(await ask("get_property", { path: target, snapshot_id: id })).toMatchObject({ code: "SNAPSHOT_NOT_FOUND" });
  expect(await ask("release_snapshot", { snapshot_id: id })).toMatchObject({ code: "SNAPSHOT_NOT_FOUND" });
});
