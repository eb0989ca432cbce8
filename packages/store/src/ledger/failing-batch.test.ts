import type { Commit, Durability, Log } from "@steading/kernel";
import { createManualClock, seconds, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { openTestStore, soon, temporaryDirectory } from "../test-directory.fixture.ts";

function thing(key: string, size: number, durability: Durability = "kept"): Commit {
  return {
    durability,
    puts: [{ space: "things", key, value: "x".repeat(size) }],
    records: [{ stream: "audit", kind: "put", at: 1, data: { key } }],
  };
}
const SMALL = { limits: { stateBytes: 400_000 } };

// @proves store.ledger.sequence-gap-free store.ledger.state-and-record-together
test("a batch that does not fit takes everything behind it along, and counting goes on without a gap", async () => {
  const errors: unknown[] = [];
  const log: Log = { ...silentLog, error: (_, cause) => errors.push(cause) };
  const clock = createManualClock();
  const store = await openTestStore(temporaryDirectory(), { ...SMALL, log, clock });
  const { ledger } = store;
  const before = await ledger.commit(thing("a", 10));
  await ledger.commit(thing("b", 10));
  const settled = await Promise.allSettled([
    ledger.commit(thing("a", 20)),
    ledger.commit(thing("huge", 1_000_000)),
    ledger.commit(thing("c", 10)),
    ledger.commit(thing("d", 10, "volatile")),
    ledger.commit({ durability: "kept", deletes: [{ space: "things", key: "b" }] }),
  ]);
  expect(settled.map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
    "rejected",
    "fulfilled", // answered before the disk had spoken: that is what volatile means
    "rejected",
  ]);
  expect(settled[1]).toMatchObject({ reason: { code: "STORE_FULL", retryable: false } });
  expect(settled[2]).toMatchObject({ reason: { code: "STORE_FULL" } });

  expect(ledger.list("things").map(({ key }) => key)).toEqual(["a", "b"]);
  expect(ledger.get("things", "a")).toEqual({ value: "x".repeat(10), revision: before.revision });
  expect(ledger.lastSeq("audit")).toBe(2);
  await clock.advance(seconds(5));
  await soon(() => expect(store.health().status).toBe("ok"));
  const after = await ledger.commit({ ...thing("e", 10), expect: [{ space: "things", key: "c", revision: 0 }] });
  expect(after.seqs).toEqual([3]);
  expect(ledger.records("audit").map(({ seq, data }) => [seq, data["key"]])).toEqual([
    [1, "a"],
    [2, "b"],
    [3, "e"],
  ]);
  expect(store.counters().ledger).toMatchObject({ failedBatches: 1, volatileLost: 1 });
  expect(errors).toHaveLength(1);
});

// @proves store.ledger.sequence-gap-free
test("a large turn that is sent ahead fails as one, wherever in it the disk refuses", async () => {
  const clock = createManualClock();
  for (const at of [0, 63, 64, 100, 199]) {
    const store = await openTestStore(temporaryDirectory(), { ...SMALL, clock });
    const { ledger } = store;
    await ledger.commit(thing("first", 10));
    const turn = Array.from({ length: 200 }, (_, n) => ledger.commit(thing(`k${n}`, n === at ? 1_000_000 : 10)));
    const settled = await Promise.allSettled(turn);
    expect(new Set(settled.map(({ status }) => status)), `refused at ${at}`).toEqual(new Set(["rejected"]));
    expect(ledger.list("things").map(({ key }) => key)).toEqual(["first"]);
    await clock.advance(seconds(5));
    await soon(() => expect(store.health().status).toBe("ok"));
    const again = await Promise.all(Array.from({ length: 130 }, (_, n) => ledger.commit(thing(`n${n}`, 10))));
    expect(again.map(({ seqs }) => seqs[0])).toEqual(Array.from({ length: 130 }, (_, i) => i + 2));
    await store.close();
  }
});

test("the state before a failed batch is what a later start finds", async () => {
  const dir = temporaryDirectory();
  const first = await openTestStore(dir, SMALL);
  await first.ledger.commit(thing("a", 10));
  await expect(first.ledger.commit(thing("huge", 1_000_000))).rejects.toMatchObject({ code: "STORE_FULL" });
  await first.close();
  const second = await openTestStore(dir);
  expect(second.ledger.list("things").map(({ key }) => key)).toEqual(["a"]);
  expect((await second.ledger.commit(thing("b", 10))).seqs).toEqual([2]);
});

test("what JSON cannot hold is refused before anything is numbered", async () => {
  const { ledger } = await openTestStore(temporaryDirectory());
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  // The casts stand for a caller without types.
  const value = loop as never;
  await expect(ledger.commit({ durability: "kept", puts: [{ space: "s", key: "k", value }] })).rejects.toMatchObject({
    code: "COMMIT_INVALID",
  });
  const record = { stream: "nonsense" as never, kind: "k", at: 1, data: {} };
  await expect(ledger.commit({ durability: "kept", records: [record] })).rejects.toMatchObject({
    code: "COMMIT_INVALID",
  });
  expect((await ledger.commit(thing("a", 1))).revision).toBe(1);
});
