import { expect, test } from "vitest";
import { millis } from "./duration.ts";
import { createManualClock } from "./manual-clock.ts";
import { createMemoryLedger, MEMORY_LEDGER_LIMITS } from "./memory-ledger.ts";
import { ledgerContract } from "./testing/index.ts";

// @proves kernel.ledger.implementations-alike kernel.ledger.commit-all-or-nothing kernel.ledger.expect-refuses-stale
// @proves kernel.journal.sequence-per-stream kernel.journal.sequence-gap-free kernel.journal.three-streams
// @proves kernel.journal.audit-counts-for-itself kernel.journal.in-order
ledgerContract("in memory", async () => createMemoryLedger({ clock: createManualClock() }));

const record = (stream: "audit" | "runs" | "bus", n: number, level?: string) => ({
  stream,
  kind: "note",
  at: n,
  data: level === undefined ? { n } : { n, level },
});

test("a slow ledger shows a commit at once and resolves when its time has come", async () => {
  const clock = createManualClock();
  const ledger = createMemoryLedger({ clock, latency: millis(50) });
  let done = false;
  const commit = ledger.commit({ durability: "fixed", puts: [{ space: "s", key: "k", value: 1 }] });
  void commit.then(() => (done = true));
  expect(ledger.get("s", "k")?.value).toBe(1);
  await clock.advance(millis(49));
  expect(done).toBe(false);
  await clock.advance(millis(1));
  expect(done).toBe(true);
});

// @proves kernel.journal.bus-keeps-last-n kernel.journal.bus-drops-info-and-debug-first kernel.journal.bus-counts-drops
test("a full bus lets go of info and debug first and counts what it dropped", async () => {
  const ledger = createMemoryLedger({
    clock: createManualClock(),
    limits: { ...MEMORY_LEDGER_LIMITS, bus: 3 },
  });
  const levels = ["error", "info", "warn", "debug", "error", "warn"];
  await ledger.commit({
    durability: "volatile",
    records: levels.map((level, n) => record("bus", n, level)),
  });
  expect(ledger.records("bus").map(({ data }) => data["level"])).toEqual(["warn", "error", "warn"]);
  expect(ledger.dropped).toEqual({ audit: 0, runs: 0, bus: 3 });
  expect(ledger.lastSeq("bus")).toBe(6);
});

// @proves kernel.journal.retention-per-stream
test("each stream keeps as much as its own limit says", async () => {
  const limits = { ...MEMORY_LEDGER_LIMITS, audit: 6, runs: 2, bus: 4 };
  const ledger = createMemoryLedger({ clock: createManualClock(), limits });
  for (let n = 1; n <= 6; n += 1) {
    const records = (["audit", "runs", "bus"] as const).map((stream) => record(stream, n));
    await ledger.commit({ durability: "kept", records });
  }
  const kept = (stream: "audit" | "runs" | "bus") => ledger.records(stream).map(({ seq }) => seq);
  expect([kept("audit"), kept("runs"), kept("bus")]).toEqual([
    [1, 2, 3, 4, 5, 6],
    [5, 6],
    [3, 4, 5, 6],
  ]);
  expect(ledger.dropped).toEqual({ audit: 0, runs: 4, bus: 2 });
});

// @proves kernel.journal.audit-never-dropped
test("a full audit refuses the commit instead of dropping, and lets the reserve through", async () => {
  const ledger = createMemoryLedger({
    clock: createManualClock(),
    limits: { ...MEMORY_LEDGER_LIMITS, audit: 2 },
  });
  const commit = (n: number, reserve = false) =>
    ledger.commit({ durability: "fixed", records: [record("audit", n)], reserve });
  await commit(1);
  await commit(2);
  await expect(commit(3)).rejects.toMatchObject({ code: "STORE_FULL" });
  await commit(4, true);
  expect(ledger.records("audit").map(({ data }) => data["n"])).toEqual([1, 2, 4]);
});

test("entries are bounded, and a put to an existing key still fits", async () => {
  const ledger = createMemoryLedger({
    clock: createManualClock(),
    limits: { ...MEMORY_LEDGER_LIMITS, entries: 1 },
  });
  const put = (key: string) => ledger.commit({ durability: "kept", puts: [{ space: "s", key, value: 1 }] });
  await put("a");
  await put("a");
  await expect(put("b")).rejects.toMatchObject({ code: "STORE_FULL" });
});
