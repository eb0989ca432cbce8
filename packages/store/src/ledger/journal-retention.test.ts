import { createManualClock, days, hours, type Commit, type JsonObject, type StreamName } from "@steading/kernel";
import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import { openTestStore, soon, temporaryDirectory } from "../test-directory.fixture.ts";

function record(stream: StreamName, data: JsonObject, extra: { correlation?: string; at?: number } = {}): Commit {
  return { durability: "kept", records: [{ stream, kind: "test", at: 1, data, ...extra }] };
}

/** Retention works after the answer; whatever is answered next comes after it. */
async function afterRetention(store: Store): Promise<void> {
  await store.ledger.commit({ durability: "kept" });
}

// @proves store.ledger.audit-never-dropped
test("a full bus drops its debug and info records first, oldest first, and counts them", async () => {
  const store = await openTestStore(temporaryDirectory(), { limits: { busRecords: 100, tailRecords: 10 } });
  const levels = ["debug", "error", "info", "warn"];
  for (let n = 0; n < 160; n++) {
    await store.ledger.commit(record("bus", { n, level: levels[n % 4] ?? "" }));
    await store.ledger.commit(record("audit", { n }));
  }
  await afterRetention(store);
  const kept = store.ledger.records("bus");
  const heavy = kept.filter(({ data }) => data["level"] === "error" || data["level"] === "warn");
  expect(heavy).toHaveLength(80);
  expect(kept.length).toBeLessThanOrEqual(102);
  const light = kept.filter(({ data }) => data["level"] !== "error" && data["level"] !== "warn");
  expect(light.at(-1)?.data["n"]).toBe(158);
  expect(light.every(({ data }) => Number(data["n"]) > 100)).toBe(true);
  expect(store.counters().ledger.dropped).toEqual({ audit: 0, runs: 0, bus: 160 - kept.length });
  expect(store.ledger.records("audit")).toHaveLength(160);
});

test("only debug, info and what says nothing is light; a level of somebody's own is not", async () => {
  const store = await openTestStore(temporaryDirectory(), { limits: { busRecords: 20, tailRecords: 1 } });
  const levels: JsonObject[] = [{ level: "fatal" }, { level: "notice" }, { level: "info" }, {}];
  for (let n = 0; n < 40; n++) await store.ledger.commit(record("bus", { n, ...levels[n % 4] }));
  await afterRetention(store);
  const kept = store.ledger.records("bus").map(({ data }) => data["level"] ?? "none");
  expect(kept.filter((level) => level === "fatal" || level === "notice")).toHaveLength(20);
  expect(kept.length).toBeLessThan(25); // and the last ones, which are in memory
});

test("a bus without light records drops the oldest, and its numbers go on", async () => {
  const dir = temporaryDirectory();
  const limits = { busRecords: 50, tailRecords: 1 };
  const store = await openTestStore(dir, { limits });
  for (let n = 0; n < 120; n++) await store.ledger.commit(record("bus", { n, level: "error" }));
  await afterRetention(store);
  const { dropped } = store.counters().ledger;
  await store.close();
  const again = await openTestStore(dir, { limits });
  const seqs = again.ledger.records("bus").map(({ seq }) => seq);
  expect(seqs.at(-1)).toBe(120);
  expect(seqs).toEqual(seqs.map((_, i) => 121 - seqs.length + i));
  expect(seqs.length).toBeLessThanOrEqual(51);
  expect(again.counters().ledger.dropped).toEqual(dropped);
  expect(dropped.bus).toBe(120 - seqs.length);
});

test("each run keeps its youngest records, whatever the others do", async () => {
  const store = await openTestStore(temporaryDirectory(), { limits: { runRecords: 20, tailRecords: 1 } });
  for (let n = 0; n < 60; n++) {
    await store.ledger.commit(record("runs", { n }, { correlation: "long" }));
    if (n < 10) await store.ledger.commit(record("runs", { n }, { correlation: "short" }));
    if (n % 2 === 0) await store.ledger.commit(record("runs", { n }));
  }
  await afterRetention(store);
  const kept = store.ledger.records("runs");
  const of = (run: string | undefined) =>
    kept.filter(({ correlation }) => correlation === run).map(({ data }) => data["n"]);
  expect(of("long")).toEqual(Array.from({ length: 20 }, (_, i) => 40 + i));
  expect(of("short")).toHaveLength(10);
  expect(of(undefined)).toHaveLength(20);
  expect(store.counters().ledger.dropped.runs).toBe(40 + 10);
});

test("all runs together have a bound as well", async () => {
  const store = await openTestStore(temporaryDirectory(), { limits: { runsRecords: 50, tailRecords: 1 } });
  for (let n = 0; n < 100; n++) await store.ledger.commit(record("runs", { n }, { correlation: `run-${n}` }));
  await afterRetention(store);
  expect(store.ledger.records("runs").length).toBeLessThanOrEqual(51);
  expect(store.ledger.records("runs").at(-1)?.seq).toBe(100);
});

test("audit records leave when they are old enough, and only then", async () => {
  const clock = createManualClock();
  const store = await openTestStore(temporaryDirectory(), { clock, limits: { auditDays: 30, tailRecords: 1 } });
  const start = clock.now();
  for (let n = 0; n < 10; n++) await store.ledger.commit(record("audit", { n }, { at: start + days(n) }));
  await clock.advance(days(35));
  await store.ledger.commit(record("audit", { n: 10 }, { at: clock.now() }));
  await soon(() => expect(store.counters().ledger.dropped.audit).toBe(5));
  expect(store.ledger.records("audit").map(({ data }) => data["n"])).toEqual([5, 6, 7, 8, 9, 10]);
  await clock.advance(hours(2));
  expect((await store.ledger.commit(record("audit", { n: 11 }, { at: clock.now() }))).seqs).toEqual([12]);
});

test("a reader that follows a stream gets the same records from memory as from disk", async () => {
  const store = await openTestStore(temporaryDirectory(), { limits: { tailRecords: 5 } });
  for (let n = 0; n < 40; n++) await store.ledger.commit(record("bus", { n }, { correlation: "c" }));
  const all = store.ledger.records("bus");
  expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  for (let after = 0; after <= 40; after++) {
    expect(store.ledger.records("bus", { after, limit: 7 })).toEqual(all.slice(after, after + 7));
  }
});
