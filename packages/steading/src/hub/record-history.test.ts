import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealClock, silentLog } from "@steading/kernel";
import { openStore, type Store } from "@steading/store";
import { createGraph, defineSubject, p, state, type Graph } from "@steading/subjects";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHistoryPort } from "./history-port.ts";
import { recordHistory } from "./record-history.ts";

const Tank = defineSubject("test.Tank", {
  props: {
    level: p.number({ unit: "Liter" }).history(),
    label: p.string().path("name/plate").history(),
    spare: p.number(),
  },
});

const clock = createRealClock();
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, buckets: 100 };
let dir: string;
let store: Store;
let graph: Graph;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "steading-history-"));
  store = await openStore({ dir, clock, log: silentLog });
  graph = createGraph({ clock, log: silentLog });
});
afterEach(async () => {
  await graph.close();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function recorded(change: (tank: ReturnType<typeof Tank.create>) => void, last: string): Promise<void> {
  const { history } = store;
  const recorder = recordHistory({ graph, history, provider: state(), log: silentLog });
  const tank = Tank.create({ level: 1, label: "a", spare: 1 });
  graph.attach("/", "tank", tank);
  change(tank);
  await vi.waitFor(() => expect(history.latest(last)).toBeDefined());
  await recorder.stop();
  await history.flush();
}

test("what a marked property was is found under the path that the tools print", async () => {
  await recorded((tank) => {
    tank.$set("level", 40);
    tank.$set("label", "b");
    tank.$set("spare", 2);
  }, "/tank/name%2Fplate");
  const port = createHistoryPort(store.history);
  const signal = AbortSignal.timeout(10_000);
  const values = async (path: string) =>
    (await port.read({ ...everything, path, aggregation: "raw" }, signal)).points.map(({ value }) => value);
  expect(await values("/tank/level")).toEqual([40]);
  expect(await values("/tank/name%2Fplate")).toEqual(["b"]);
  expect(await values("/tank/spare")).toEqual([]);
});

test("an aggregate has a point where there were readings and none where there were not", async () => {
  const now = clock.now();
  await store.history.append(
    [10, 20, 60].map((value, n) => ({ path: "/tank/level", value, at: now - 3_000 + n, quality: "good" as const })),
  );
  await store.history.flush();
  const port = createHistoryPort(store.history);
  const question = { path: "/tank/level", from: now - 60_000, to: now, buckets: 60 };
  const one = async (aggregation: "mean" | "min" | "max" | "sum" | "count" | "first" | "last") =>
    (await port.read({ ...question, aggregation }, AbortSignal.timeout(10_000))).points.map(({ value }) => value);
  expect(await one("mean")).toEqual([30]);
  expect(await one("min")).toEqual([10]);
  expect(await one("max")).toEqual([60]);
  expect(await one("sum")).toEqual([90]);
  expect(await one("first")).toEqual([10]);
  expect(await one("last")).toEqual([60]);
});
