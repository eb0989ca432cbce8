import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHubs, type Hubs, type StartedHub } from "../testing/run-hubs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // whole hubs, on a machine that may be busy
afterAll(() => vi.resetConfig());

let hubs: Hubs;
beforeEach(() => void (hubs = createHubs()));
afterEach(() => hubs.end());

interface Row {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}

async function rest<T>({ ready: { url } }: StartedHub, token: string, path: string, options: RequestInit = {}) {
  const answer = await fetch(`${url}/api${path}`, {
    ...options,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
  return (await answer.json()) as T;
}

/** Channels of the shed that are on. */
async function closed(hub: StartedHub, token: string): Promise<number[]> {
  const { channels } = await rest<{ channels: { address: number; state: boolean }[] }>(
    hub,
    token,
    "/equipment/1/relay/state",
  );
  return channels.filter(({ state }) => state).map(({ address }) => address);
}

const names = (rows: readonly { readonly name: string }[]): string[] => rows.map(({ name }) => name).toSorted();

// @proves steading.ready-file.farm
test("the demo's farm is read, switched and alerts at once", async () => {
  const hub = await hubs.hub("demo");
  const token = hub.ready.token ?? "";
  expect(hub.ready).toMatchObject({ farm: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/) as unknown });
  await expect
    .poll(async () => new Set((await rest<Row[]>(hub, token, "/equipment")).map(({ status }) => status)))
    .toEqual(new Set(["online"]));
  expect(names(await rest<Row[]>(hub, token, "/zones"))).toEqual(["Beds", "Greenhouse"]);
  await expect
    .poll(() => rest<{ message: string }[]>(hub, token, "/alerts"))
    .toEqual([expect.objectContaining({ message: expect.stringContaining("Soil south: moisture is 27%") as unknown })]);
  const post = { method: "POST", body: "{}" };
  expect(await rest(hub, token, "/automations/1/trigger", post)).toMatchObject({ success: true });
  expect(await closed(hub, token)).toEqual([0, 1]);
  expect(await rest(hub, token, "/automations/2/trigger", post)).toMatchObject({ success: true });
  expect(await closed(hub, token)).toEqual([]);
});

test("started again on the same data it has what it had, changed as somebody changed it, at the present addresses", async () => {
  const first = await hubs.hub("demo");
  const token = first.ready.token ?? "";
  const before = await rest<Row[]>(first, token, "/equipment");
  expect(before).toHaveLength(7);
  await rest(first, token, "/equipment/2", { method: "PUT", body: '{"name":"Bed by the wall"}' });
  await rest(first, token, "/equipment/7?force=true", { method: "DELETE" });
  first.stop();
  await first.code;

  const second = await hubs.hub("demo");
  const rows = await rest<Row[]>(second, token, "/equipment");
  expect(names(rows)).toEqual(
    names(before.filter(({ id }) => id !== 7))
      .map((name) => (name === "Soil north" ? "Bed by the wall" : name))
      .toSorted(),
  );
  expect(await rest<Row[]>(second, token, "/automations")).toHaveLength(2);
  expect(await rest<Row[]>(second, token, "/zones")).toHaveLength(2);
  await expect
    .poll(async () => (await rest<Row[]>(second, token, "/equipment")).map(({ status }) => status))
    .toEqual(rows.map(() => "online"));
});
