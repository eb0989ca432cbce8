import type { Commit, Durability } from "@steading/kernel";
import { createManualClock } from "@steading/kernel";
import { expect, test } from "vitest";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";

function numbered(n: number, durability: Durability, size = 1): Commit {
  return { durability, records: [{ stream: "bus", kind: "test", at: n, data: { text: "x".repeat(size) } }] };
}

// @proves store.queue.takes-all-that-waits store.queue.commit-is-the-window store.queue.posts-durable-to
test("what is committed together is one transaction", async () => {
  const store = await openTestStore(temporaryDirectory());
  await Promise.all(Array.from({ length: 501 }, (_, n) => store.ledger.commit(numbered(n, "kept"))));
  expect(store.counters().ledger).toMatchObject({ commits: 501, transactions: 1, syncs: 0 });
});

// @proves store.queue.takes-all-that-waits
test.each([63, 64, 65, 128, 300])(
  "%i fixed commits of one turn are one sync, also when they are sent ahead",
  async (count) => {
    const store = await openTestStore(temporaryDirectory());
    await Promise.all(Array.from({ length: count }, (_, n) => store.ledger.commit(numbered(n, "fixed"))));
    expect(store.counters().ledger).toMatchObject({ commits: count, transactions: 1, syncs: 1 });
    await store.ledger.commit(numbered(count, "fixed"));
    expect(store.ledger.records("bus", { limit: 1_000 }).map(({ seq }) => seq)).toEqual(
      Array.from({ length: count + 1 }, (_, i) => i + 1),
    );
  },
);

// @proves store.queue.batch-at-most-1000-records
test("a transaction takes at most 1 000 records", async () => {
  const store = await openTestStore(temporaryDirectory());
  await Promise.all(Array.from({ length: 2_502 }, (_, n) => store.ledger.commit(numbered(n, "kept"))));
  expect(store.counters().ledger.transactions).toBe(3);
});

// @proves store.queue.batch-at-most-4-mib
test("a transaction takes at most 4 MiB", async () => {
  const store = await openTestStore(temporaryDirectory());
  await Promise.all(Array.from({ length: 13 }, (_, n) => store.ledger.commit(numbered(n, "kept", 1024 * 1024))));
  // Each is a little over 1 MiB, so three fit.
  expect(store.counters().ledger.transactions).toBe(5);
});

// @proves store.queue.fsync-if-any-asks store.queue.no-fsync-if-none-asks
test("a batch is synced when one of its commits asks for it, and only then", async () => {
  const store = await openTestStore(temporaryDirectory());
  await store.ledger.commit(numbered(0, "kept"));
  expect(store.counters().ledger).toMatchObject({ transactions: 1, syncs: 0 });
  const commits = ["kept", "kept", "fixed", "kept"] as const;
  await Promise.all(commits.map((durability, n) => store.ledger.commit(numbered(n, durability))));
  expect(store.counters().ledger).toMatchObject({ transactions: 2, syncs: 1 });
});

// @proves store.queue.no-timer
test("a lone commit is answered without any timer", async () => {
  const clock = createManualClock();
  const store = await openTestStore(temporaryDirectory(), { clock });
  await store.ledger.commit(numbered(0, "fixed"));
  expect(clock.pending).toBe(0);
});

// @proves store.volatile.debug-events
test("a volatile commit is answered before the disk was asked", async () => {
  const store = await openTestStore(temporaryDirectory());
  const slow = store.ledger.commit(numbered(0, "fixed"));
  const order: string[] = [];
  const both = [
    slow.then(() => order.push("fixed")),
    store.ledger.commit(numbered(1, "volatile")).then(() => order.push("volatile")),
  ];
  await Promise.all(both);
  expect(order).toEqual(["volatile", "fixed"]);
  expect(store.ledger.records("bus").map(({ seq }) => seq)).toEqual([1, 2]);
});

// @proves store.queue.bounded store.queue.full-store-busy store.queue.store-busy-retryable
test("a full queue refuses with STORE_BUSY, changes nothing, and takes commits again later", async () => {
  const store = await openTestStore(temporaryDirectory(), { limits: { queueRecords: 10 } });
  const taken = Array.from({ length: 10 }, (_, n) => store.ledger.commit(numbered(n, "kept")));
  const refused = store.ledger.commit(numbered(99, "kept"));
  expect(store.ledger.lastSeq("bus")).toBe(10);
  await expect(refused).rejects.toMatchObject({ code: "STORE_BUSY", retryable: true, details: { records: 10 } });
  await Promise.all(taken);
  expect((await store.ledger.commit(numbered(100, "kept"))).seqs).toEqual([11]);
  expect(store.counters().ledger.refusedBusy).toBe(1);
});

test("bytes fill the queue as well, and a commit beyond all bounds is refused for good", async () => {
  const limits = { queueBytes: 15_000, commitBytes: 8_000 };
  const store = await openTestStore(temporaryDirectory(), { limits });
  const taken = [0, 1].map((n) => store.ledger.commit(numbered(n, "kept", 7_000)));
  await expect(store.ledger.commit(numbered(2, "kept", 7_000))).rejects.toMatchObject({ code: "STORE_BUSY" });
  await Promise.all(taken);
  await expect(store.ledger.commit(numbered(3, "kept", 9_000))).rejects.toMatchObject({
    code: "COMMIT_TOO_LARGE",
    retryable: false,
  });
});
