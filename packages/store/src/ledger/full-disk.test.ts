import { createManualClock, seconds, silentLog, type Commit, type Log, type SteadingError } from "@steading/kernel";
import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import { openTestStore, reserveTaken, soon, temporaryDirectory } from "../test-directory.fixture.ts";

const SMALL = { stateBytes: 300_000 };

const ordinary = (key: string, size = 10): Commit => ({
  durability: "fixed",
  puts: [{ space: "thing", key, value: "x".repeat(size) }],
  records: [{ stream: "audit", kind: "ordinary", at: Date.UTC(2026, 0, 1), data: { key } }],
});
const off = (key: string): Commit => ({
  durability: "fixed",
  reserve: true,
  expect: [{ space: "action", key, revision: 0 }],
  puts: [{ space: "action", key, value: { off: true } }],
  records: [{ stream: "audit", kind: "off", at: Date.UTC(2026, 0, 1), correlation: key, data: { key } }],
});
const full = { code: "STORE_FULL" };

async function fill(store: Store, dir: string, reserve?: number): Promise<void> {
  await reserveTaken(dir, reserve);
  await expect(store.ledger.commit(ordinary("huge", 1_000_000))).rejects.toMatchObject(full);
}
const kinds = (store: Store) => store.ledger.records("audit").map(({ seq, kind }) => `${seq} ${kind}`);

// @proves store.disk-full.reads-go-on store.disk-full.audit-from-reserve store.disk-full.rest-says-why
test("on a full disk effects towards safe are recorded, reads go on, and the rest is told why not", async () => {
  const said: string[] = [];
  const log: Log = { ...silentLog, error: (message) => said.push(message) };
  const dir = temporaryDirectory();
  const store = await openTestStore(dir, { limits: SMALL, log });
  await store.ledger.commit(ordinary("a"));
  await fill(store, dir);

  await expect(store.ledger.commit(ordinary("b"))).rejects.toMatchObject({
    ...full,
    message: "There is no room left on the disk of the data directory",
    hint: expect.stringContaining("Free space"),
  });
  expect(store.health()).toEqual({ status: "degraded", reason: expect.stringContaining("The disk is full") });
  expect((await store.ledger.commit(off("pump"))).seqs).toEqual([2]);
  expect((await store.ledger.commit(off("valve"))).seqs).toEqual([3]);
  await expect(store.ledger.commit(off("pump"))).rejects.toMatchObject({ code: "REVISION_STALE" });

  expect(store.ledger.get("thing", "a")?.value).toBe("x".repeat(10));
  expect(store.ledger.get("action", "pump")?.value).toEqual({ off: true });
  expect(store.ledger.list("action").map(({ key }) => key)).toEqual(["pump", "valve"]);
  expect(kinds(store)).toEqual(["1 ordinary", "2 off", "3 off"]);
  expect(store.ledger.records("audit", { after: 1, limit: 1 })).toMatchObject([{ seq: 2, correlation: "pump" }]);
  expect(store.counters().ledger).toMatchObject({ reserved: 2, refusedFull: 1 });
  expect(said).toHaveLength(1);
});

// @proves store.disk-full.audit-from-reserve
test("an effect towards safe that was behind the commit that filled the disk is recorded all the same", async () => {
  const dir = temporaryDirectory();
  const store = await openTestStore(dir, { limits: SMALL });
  await reserveTaken(dir);
  const settled = await Promise.allSettled([
    store.ledger.commit(ordinary("a")),
    store.ledger.commit(ordinary("huge", 1_000_000)),
    store.ledger.commit(off("pump")),
    store.ledger.commit({ ...off("late"), expect: [{ space: "thing", key: "a", revision: 1 }] }),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled", "rejected"]);
  expect(settled[2]).toMatchObject({ value: { seqs: [1] } });
  expect(kinds(store)).toEqual(["1 off"]);
});

// @proves store.disk-full.audit-from-reserve store.ledger.sequence-gap-free
test("what the reserve took is there after a restart, full or not, and comes into the database", async () => {
  const dir = temporaryDirectory();
  const first = await openTestStore(dir, { limits: SMALL });
  await first.ledger.commit(ordinary("a"));
  await fill(first, dir);
  await first.ledger.commit(off("pump"));
  await first.ledger.commit(off("valve"));
  await first.close();

  const second = await openTestStore(dir);
  expect(second.health()).toEqual({ status: "ok" });
  expect(kinds(second)).toEqual(["1 ordinary", "2 off", "3 off"]);
  expect(second.ledger.get("action", "valve")?.value).toEqual({ off: true });
  expect((await second.ledger.commit(ordinary("b"))).seqs).toEqual([4]);
  await second.close();
  const third = await openTestStore(dir);
  expect(kinds(third)).toEqual(["1 ordinary", "2 off", "3 off", "4 ordinary"]);
});

test("the disk is asked again until there is room, and then everything is as before", async () => {
  const dir = temporaryDirectory();
  const clock = createManualClock();
  const store = await openTestStore(dir, { limits: SMALL, clock });
  await store.ledger.commit(ordinary("a"));
  await fill(store, dir);
  await store.ledger.commit(off("pump"));
  expect(clock.pending).toBe(1);
  // The limit stands, but a small commit fits into it: that is room.
  await clock.advance(seconds(5));
  await soon(() => expect(store.health()).toEqual({ status: "ok" }));
  expect((await store.ledger.commit(ordinary("b"))).seqs).toEqual([3]);
  expect((await store.ledger.commit(off("valve"))).seqs).toEqual([4]);
  expect(store.counters().ledger.reserved).toBe(1);
  expect(kinds(store)).toEqual(["1 ordinary", "2 off", "3 ordinary", "4 off"]);
  expect(store.ledger.get("action", "pump")?.value).toEqual({ off: true });
  await store.close();
  expect(clock.pending).toBe(0);
  expect(kinds(await openTestStore(dir))).toEqual(["1 ordinary", "2 off", "3 ordinary", "4 off"]);
});

test("a reserve that is used up refuses too, and loses nothing of what it took", async () => {
  const dir = temporaryDirectory();
  const store = await openTestStore(dir, { limits: { ...SMALL, reserveBytes: 20_000 } });
  await store.ledger.commit(ordinary("a"));
  await fill(store, dir, 20_000);
  const outcomes: string[] = [];
  for (let n = 0; n < 200; n++) {
    await store.ledger.commit(off(`pump/${n}`)).then(
      () => outcomes.push("recorded"),
      (error: SteadingError) => outcomes.push(error.code),
    );
  }
  const recorded = outcomes.filter((each) => each === "recorded").length;
  expect(recorded).toBeGreaterThan(10);
  expect(outcomes.slice(recorded).every((each) => each === "STORE_FULL")).toBe(true);
  expect(store.ledger.list("action")).toHaveLength(recorded);
  await store.close();
  const after = await openTestStore(dir);
  expect(after.ledger.list("action")).toHaveLength(recorded);
  expect(after.ledger.lastSeq("audit")).toBe(1 + recorded);
});
