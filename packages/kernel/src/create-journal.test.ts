import { describe, expect, test } from "vitest";
import { millis } from "./duration.ts";
import { createJournal } from "./create-journal.ts";
import type { Commit, Ledger, StoredRecord } from "./ledger.ts";
import { createManualClock } from "./manual-clock.ts";
import { createMemoryLedger } from "./memory-ledger.ts";
import { createTrialLog, trialCaller } from "./testing/index.ts";

function setUp(latency = 0) {
  const clock = createManualClock();
  const ledger = createMemoryLedger({ clock, latency: millis(latency) });
  const { log, logged } = createTrialLog();
  return { clock, ledger, logged, journal: createJournal({ ledger, clock, log }) };
}

// @proves kernel.journal.redacted-on-append kernel.journal.one-append-path
test("a record is redacted on its way in, alone and inside a larger commit", async () => {
  const { journal, ledger, clock } = setUp();
  const data = { user: "anna", password: "hunter2", deep: [{ api_key: "hunter2" }] };
  const stored = await journal.append("audit", { kind: "user.made", correlation: "c1", data });
  const clean = { user: "anna", password: "[redacted]", deep: [{ api_key: "[redacted]" }] };
  expect(stored).toEqual({
    stream: "audit",
    kind: "user.made",
    at: clock.now(),
    correlation: "c1",
    data: clean,
    seq: 1,
  });
  await journal.commit({ durability: "fixed", records: [journal.record("bus", { kind: "k", data })] });
  expect(JSON.stringify([ledger.records("audit"), ledger.records("bus")])).not.toContain("hunter2");
  expect(journal.counters.appended).toBe(2);
});

// @proves kernel.journal.minimum-role-per-stream
test("each stream has its least role for reading", async () => {
  const { journal } = setUp();
  await journal.append("audit", { kind: "k", data: {} });
  await journal.append("bus", { kind: "k", data: {} });
  const viewer = trialCaller({ role: "viewer" });
  expect(journal.read("bus", viewer)).toHaveLength(1);
  expect(journal.read("runs", viewer)).toHaveLength(0);
  for (const caller of [viewer, trialCaller(), trialCaller({ role: "admin", scope: { role: "operator" } })]) {
    expect(() => journal.read("audit", caller)).toThrow(expect.objectContaining({ code: "ACCESS_DENIED" }));
  }
  expect(journal.read("audit", trialCaller({ role: "admin" }))).toHaveLength(1);
});

describe("listeners", () => {
  const seqs = (heard: readonly StoredRecord[]) => heard.map(({ seq }) => seq);

  // @proves kernel.journal.in-order kernel.journal.feeds-are-views
  test("hear every record of their stream once, in order, when it is durable", async () => {
    const { journal, clock } = setUp(10);
    const heard: StoredRecord[] = [];
    journal.onRecord("bus", (record) => heard.push(record));
    const all = [1, 2, 3].map((n) => journal.append("bus", { kind: "k", data: { n } }));
    void journal.append("audit", { kind: "other", data: {} });
    expect(heard).toEqual([]);
    await clock.advance(millis(10));
    await Promise.all(all);
    expect(heard.map(({ data }) => data["n"])).toEqual([1, 2, 3]);
    expect(seqs(heard)).toEqual([1, 2, 3]);
  });

  test("hear a quick commit only after the slow one before it", async () => {
    const { clock, ledger } = setUp();
    const { log } = createTrialLog();
    const slow = {
      ...ledger,
      async commit(asked: Parameters<typeof ledger.commit>[0]) {
        const committed = ledger.commit(asked);
        if (asked.durability === "fixed") await clock.sleep(millis(50));
        return committed;
      },
    };
    const journal = createJournal({ ledger: slow, clock, log });
    const heard: StoredRecord[] = [];
    journal.onRecord("bus", (record) => heard.push(record));
    void journal.append("bus", { kind: "slow", data: {} }, "fixed");
    await journal.append("bus", { kind: "quick", data: {} }, "volatile");
    expect(heard).toEqual([]);
    await clock.advance(millis(50));
    expect(heard.map(({ kind }) => kind)).toEqual(["slow", "quick"]);
  });

  test("hear records that somebody put straight into the ledger with the next one that comes through here", async () => {
    const { journal, ledger } = setUp();
    const heard: StoredRecord[] = [];
    await journal.append("runs", { kind: "before", data: {} });
    journal.onRecord("runs", (record) => heard.push(record));
    await ledger.commit({ durability: "kept", records: [journal.record("runs", { kind: "straight", data: {} })] });
    await journal.append("runs", { kind: "through", data: {} });
    expect(heard.map(({ kind }) => kind)).toEqual(["straight", "through"]);
  });

  test("that throw are logged and keep nobody else from hearing", async () => {
    const { journal, logged } = setUp();
    const heard: StoredRecord[] = [];
    journal.onRecord("bus", () => {
      throw new Error("deaf");
    });
    const cancel = journal.onRecord("bus", (record) => heard.push(record));
    await journal.append("bus", { kind: "k", data: {} });
    cancel();
    await journal.append("bus", { kind: "k", data: {} });
    expect(seqs(heard)).toEqual([1]);
    expect(journal.counters.listenerFailures).toBe(2);
    expect(logged).toHaveLength(2);
  });

  test("hear nothing of a commit that failed, and the next goes on", async () => {
    const { journal } = setUp();
    const heard: StoredRecord[] = [];
    journal.onRecord("bus", (record) => heard.push(record));
    const record = journal.record("bus", { kind: "k", data: {} });
    const stale = { durability: "fixed", expect: [{ space: "s", key: "k", revision: 9 }], records: [record] } as const;
    await expect(journal.commit(stale)).rejects.toMatchObject({ code: "REVISION_STALE" });
    await journal.append("bus", { kind: "k2", data: {} });
    expect(heard.map(({ kind }) => kind)).toEqual(["k2"]);
  });

  // @proves kernel.journal.in-order
  test("hear what is given a number again after a store took back what nobody had waited for", async () => {
    const { clock, log, ...lossy } = losing();
    const journal = createJournal({ ledger: lossy.ledger, clock, log });
    const heard: string[] = [];
    journal.onRecord("bus", ({ seq, kind }) => heard.push(`${seq}:${kind}`));
    const say = (kind: string) => journal.append("bus", { kind, data: {} });
    await say("a");
    lossy.keep();
    for (const kind of ["b", "c", "d"]) await say(kind);
    lossy.lose();
    for (const kind of ["e", "f", "g", "h"]) await say(kind);
    expect(heard).toEqual(["1:a", "2:b", "3:c", "4:d", "2:e", "3:f", "4:g", "5:h"]);
    expect(journal.counters).toMatchObject({ missed: 0, takenBack: 3 });
  });

  test("hear it in order also when the telling is behind the losing", async () => {
    const { clock, log, ...lossy } = losing();
    const journal = createJournal({ ledger: lossy.ledger, clock, log });
    const heard: string[] = [];
    journal.onRecord("bus", ({ kind }) => heard.push(kind));
    const said = [journal.append("bus", { kind: "a", data: {} }), journal.append("bus", { kind: "b", data: {} })];
    lossy.lose();
    said.push(journal.append("bus", { kind: "c", data: {} }));
    await Promise.all(said);
    await clock.advance(millis(0));
    expect(heard).toEqual(["a", "b", "c"]);
  });
});

/** A ledger that answers volatile commits at once and can take back what was not kept, numbers included. */
function losing() {
  const clock = createManualClock();
  const { log } = createTrialLog();
  let commits: Commit[] = [];
  let safe: Commit[] = [];
  let now = createMemoryLedger({ clock });
  const ledger: Ledger = {
    ...now,
    commit: (commit) => (commits.push(commit), now.commit(commit)),
    records: (stream, options) => now.records(stream, options),
    lastSeq: (stream) => now.lastSeq(stream),
  };
  return {
    clock,
    log,
    ledger,
    keep: () => void (safe = [...commits]),
    lose() {
      now = createMemoryLedger({ clock });
      commits = [...safe];
      for (const commit of safe) void now.commit(commit);
    },
  };
}
