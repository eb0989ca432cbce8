import { expect, test } from "vitest";
import { createBatchTaker, type Errand, type TakenBatch } from "./batch-taker.ts";
import type { CommitsMessage, ToWriter } from "./writer-messages.ts";

function commits(revision: number, extra: Partial<CommitsMessage> = {}): CommitsMessage {
  const counters = { revision, audit: 0, runs: 0, bus: 0 };
  const light = { ops: [], records: 1, bytes: 10, sync: false, unfinished: false };
  return { kind: "commits", generation: 0, ...light, counters, ...extra };
}

/** A port that never sleeps: a test that runs it dry has made a mistake. */
function takerOver(waiting: ToWriter[], limits = { batchRecords: 1_000, batchBytes: 4_000 }) {
  const next = (): ToWriter => {
    const message = waiting.shift();
    if (!message) throw new Error("the writer would sleep here");
    return message;
  };
  return createBatchTaker({ port: { next, poll: () => waiting.shift() }, limits });
}
function batchOf(taken: TakenBatch | Errand): TakenBatch {
  if (taken.kind !== "batch") throw new Error(`expected a batch, not ${taken.kind}`);
  return taken;
}
const revisions = (taken: TakenBatch | Errand) => batchOf(taken).messages.map(({ counters }) => counters.revision);

// @proves store.queue.takes-all-that-waits store.queue.commit-is-the-window store.queue.fsync-if-any-asks
test("everything that waits is one batch, and one that asks for safety makes all of it safe", () => {
  const taker = takerOver([commits(1), commits(2, { sync: true }), commits(3)]);
  const batch = batchOf(taker.take());
  expect(revisions(batch)).toEqual([1, 2, 3]);
  expect(batch.sync).toBe(true);
});

// @proves store.queue.commit-is-the-window
test("what arrives while a batch is written joins it, unless it asks for more safety than the batch has", () => {
  const waiting: ToWriter[] = [commits(1)];
  const taker = takerOver(waiting);
  const batch = batchOf(taker.take());
  waiting.push(commits(2), commits(3, { sync: true }), commits(4));
  expect(batch.more()?.counters.revision).toBe(2);
  expect(batch.more()).toBeUndefined();
  expect(batch.more()).toBeUndefined();
  expect(revisions(taker.take())).toEqual([3, 4]);
});

// @proves store.queue.batch-at-most-1000-records store.queue.batch-at-most-4-mib
test("records and bytes each end a batch, and a single larger message goes alone", () => {
  const taker = takerOver([
    commits(1, { records: 600 }),
    commits(2, { records: 400 }),
    commits(3, { records: 1 }),
    commits(4, { bytes: 3_990 }),
    commits(5, { bytes: 1 }),
    commits(6, { records: 5_000 }),
    commits(7),
  ]);
  expect(revisions(taker.take())).toEqual([1, 2]);
  expect(revisions(taker.take())).toEqual([3, 4]);
  expect(revisions(taker.take())).toEqual([5]);
  expect(revisions(taker.take())).toEqual([6]);
  expect(revisions(taker.take())).toEqual([7]);
});

test("after a failure nothing that was sent before the main thread knew is written", () => {
  const waiting: ToWriter[] = [commits(1)];
  const taker = takerOver(waiting);
  taker.take();
  taker.skipGeneration(0);
  waiting.push(commits(2), commits(3), commits(2, { generation: 1 }));
  expect(revisions(taker.take())).toEqual([2]);
  expect(waiting).toEqual([]);
});

test("an errand is run after everything before it", () => {
  const taker = takerOver([commits(1), { kind: "expire", auditBefore: 5 }, commits(2), { kind: "close" }]);
  expect(revisions(taker.take())).toEqual([1]);
  expect(taker.take()).toEqual({ kind: "expire", auditBefore: 5 });
  expect(revisions(taker.take())).toEqual([2]);
  expect(taker.take()).toEqual({ kind: "close" });
});

test("a turn that is sent ahead is waited for, whichever way it ends, and no longer", () => {
  const waiting: ToWriter[] = [commits(1, { unfinished: true })];
  const taker = takerOver(waiting);
  const batch = batchOf(taker.take());
  expect(() => batch.more()).toThrow("the writer would sleep here");
  waiting.push(commits(2, { unfinished: true }), commits(3), commits(4, { unfinished: true }), { kind: "turnOver" });
  expect([1, 2, 3].map(() => batch.more()?.counters.revision)).toEqual([2, 3, 4]);
  expect(batch.more()).toBeUndefined();

  waiting.push(commits(5, { unfinished: true }), { kind: "close" }, { kind: "turnOver" }, commits(6));
  const next = batchOf(taker.take());
  expect(next.more()).toBeUndefined();
  expect(taker.take()).toEqual({ kind: "close" });
  expect(revisions(taker.take())).toEqual([6]);
});
