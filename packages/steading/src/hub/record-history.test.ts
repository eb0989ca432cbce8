import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock, createRealClock, millis, seconds, silentLog, type Log } from "@steading/kernel";
import { openStore, type History, type Store } from "@steading/store";
import { createGraph, defineSubject, p, state, type Graph, type Source, type SourceContext } from "@steading/subjects";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepsItsOwnPast } from "./farm-part.ts";
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

/** As long as a busy machine may need. */
function soon(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 30_000, interval: 10 });
}

async function recorded(change: (tank: ReturnType<typeof Tank.create>) => void, last: string): Promise<void> {
  const { history } = store;
  const recorder = recordHistory({ graph, history, provider: state(), clock, log: silentLog });
  const tank = Tank.create({ level: 1, label: "a", spare: 1 });
  graph.attach("/", "tank", tank);
  change(tank);
  await soon(() => expect(history.latest(last)).toBeDefined());
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

test("what somebody else keeps already is not kept once more", async () => {
  const Measurement = defineSubject("steading.farm.Measurement", { props: { value: p.number().history() } });
  const seen: string[] = [];
  const append: History["append"] = (readings) => {
    seen.push(...readings.map(({ path }) => path));
    return store.history.append(readings);
  };
  const isKept = keepsItsOwnPast;
  const recorder = recordHistory({ graph, history: { append }, provider: state(), clock, log: silentLog, isKept });
  const [measurement, tank] = [Measurement.create({ value: 1 }), Tank.create({ level: 1, label: "a", spare: 1 })];
  graph.attach("/", "measurement", measurement);
  graph.attach("/", "tank", tank);
  measurement.$set("value", 2);
  tank.$set("level", 40);
  await soon(() => expect(seen).toContain("/tank/level"));
  await recorder.stop();
  expect(seen).not.toContain("/measurement/value");
});

// @proves kernel.journey.history-batched
test("what changes together is appended together", async () => {
  const batches: number[] = [];
  const append: History["append"] = (readings) => (batches.push(readings.length), store.history.append(readings));
  const recorder = recordHistory({ graph, history: { append }, provider: state(), clock, log: silentLog });
  const tank = Tank.create({ level: 1, label: "a", spare: 1 });
  graph.attach("/", "tank", tank);
  graph.batch(() => {
    tank.$set("level", 40);
    tank.$set("label", "b");
  });
  await soon(() => expect(batches).toEqual([2]));
  await recorder.stop();
});

test("a reading is kept with the quality of its own moment, and a quality that changes alone is one", async () => {
  const tank = Tank.create();
  const now = clock.now();
  let house: SourceContext | undefined;
  const source: Source = {
    start(context) {
      house = context;
      context.attach("", "tank", tank);
      return Promise.resolve();
    },
    load: () => Promise.resolve([{ path: "tank/level", value: 10, at: now - 2_000 }]),
    stop: () => Promise.resolve(),
  };
  const { history } = store;
  const recorder = recordHistory({ graph, history, provider: state(), clock, log: silentLog });
  await graph.addSource("house", source, { mount: "/house" }).start();
  const path = "/house/tank/level";
  await soon(() => expect(history.latest(path)).toMatchObject({ value: 10, quality: "good", at: now - 2_000 }));
  house?.write([{ path: "tank/level", value: 10, quality: "bad", at: now - 1_000 }]);
  await soon(() => expect(history.latest(path)).toMatchObject({ value: 10, quality: "bad", at: now - 1_000 }));
  await recorder.stop();
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

/** The store's history with a disk that refuses so many times. */
function refusing(times: number): History {
  let left = times;
  return {
    ...store.history,
    append(readings, options) {
      if (left-- > 0) return Promise.reject(new Error("the disk refused"));
      return store.history.append(readings, options);
    },
  };
}

function tankOnManualClock() {
  const manual = createManualClock(clock.now());
  const live = createGraph({ clock: manual, log: silentLog });
  const tank = Tank.create({ level: 1, label: "a", spare: 1 });
  live.attach("/", "tank", tank);
  return { manual, live, tank };
}

test("after an append that failed the recorder begins again, says so once, and counts what was lost", async () => {
  const { manual, live, tank } = tankOnManualClock();
  const said: string[] = [];
  const log: Log = { ...silentLog, error: (message) => said.push(message), info: (message) => said.push(message) };
  const recorder = recordHistory({ graph: live, history: refusing(2), provider: state(), clock: manual, log });
  tank.$set("level", 10);
  await manual.advance(millis(10));
  await soon(() => expect(recorder.counters).toMatchObject({ failures: 1, lost: 1 }));
  // What changes during the pause is not forgotten: its newest value is kept afterwards.
  tank.$set("level", 20);
  tank.$set("level", 30);
  await manual.advance(seconds(5));
  await soon(() => expect(recorder.counters).toMatchObject({ failures: 2, lost: 2 }));
  tank.$set("level", 40);
  await manual.advance(seconds(5));
  await soon(() => expect(store.history.latest("/tank/level")?.value).toBe(40));
  expect(recorder.counters).toEqual({ recorded: 1, dropped: 0, lost: 2, failures: 2 });
  expect(said).toEqual(["Readings could not be recorded; that will be tried again.", "History is recorded again."]);
  await recorder.stop();
  await live.close();
  expect(manual.pending).toBe(0);
});

test("a recorder that waits to begin again can be stopped, and leaves no stream behind", async () => {
  const { manual, live, tank } = tankOnManualClock();
  let open = 0;
  const counted: Graph = {
    ...live,
    changes(options) {
      const stream = live.changes(options);
      const { close } = stream;
      open++;
      stream.close = () => {
        open--;
        stream.close = close;
        close();
      };
      return stream;
    },
  };
  const history = refusing(Number.POSITIVE_INFINITY);
  const recorder = recordHistory({ graph: counted, history, provider: state(), clock: manual, log: silentLog });
  tank.$set("level", 10);
  await manual.advance(millis(10));
  await soon(() => expect(recorder.counters.failures).toBe(1));
  await recorder.stop();
  await recorder.stop();
  expect(open).toBe(0);
  expect(manual.pending).toBe(0);
  await live.close();
});
