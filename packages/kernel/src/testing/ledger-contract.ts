import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import type { Commit, Ledger } from "../ledger.ts";

export interface LedgerContractOptions {
  /** Closes the ledger and opens what it left behind. Implementations that forget everything leave it out. */
  reopen?(ledger: Ledger): Promise<Ledger>;
}

/** What every ledger must do. `open` gives an empty one each time it is called. */
export function ledgerContract(name: string, open: () => Promise<Ledger>, options: LedgerContractOptions = {}): void {
  const withLedger = (sentence: string, body: (ledger: Ledger) => Promise<void>): void => {
    test(`${name}: ${sentence}`, async () => {
      const ledger = await open();
      try {
        await body(ledger);
      } finally {
        await ledger.close();
      }
    });
  };
  describe("ledger contract", () => {
    commits(withLedger);
    expectations(withLedger);
    copies(withLedger);
    listing(withLedger);
    streams(withLedger);
    closing(name, open);
    if (options.reopen) reopening(name, open, options.reopen);
  });
}

type WithLedger = (sentence: string, body: (ledger: Ledger) => Promise<void>) => void;

function put(space: string, key: string, value: Json): Commit {
  return { durability: "fixed", puts: [{ space, key, value }] };
}
function note(stream: "audit" | "runs" | "bus", n: number): NonNullable<Commit["records"]>[number] {
  return { stream, kind: "note", at: 1_000 + n, data: { n } };
}
/** Tries to change what was handed out; frozen things throw, copies let it happen. */
function meddle(change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

function commits(withLedger: WithLedger): void {
  withLedger("an empty ledger has nothing", async (ledger) => {
    expect(ledger.get("things", "a")).toBeUndefined();
    expect(ledger.list("things")).toEqual([]);
    expect(ledger.records("audit")).toEqual([]);
    expect(ledger.lastSeq("audit")).toBe(0);
  });

  withLedger("a put is read back with the revision its commit returned", async (ledger) => {
    const { revision, seqs } = await ledger.commit(put("things", "a", { n: 1, deep: [null, true, "x", { y: 0.5 }] }));
    expect(seqs).toEqual([]);
    expect(ledger.get("things", "a")).toEqual({
      value: { n: 1, deep: [null, true, "x", { y: 0.5 }] },
      revision,
    });
    expect(ledger.get("other", "a")).toBeUndefined();
    expect(ledger.get("things", "b")).toBeUndefined();
  });

  withLedger("null, false, zero and the empty string are values, not absence", async (ledger) => {
    for (const value of [null, false, 0, ""]) {
      await ledger.commit(put("things", "a", value));
      expect(ledger.get("things", "a")?.value).toBe(value);
    }
  });

  withLedger("revisions are above zero and grow with every commit, also across deletes", async (ledger) => {
    const first = await ledger.commit(put("things", "a", 1));
    const second = await ledger.commit(put("things", "b", 1));
    await ledger.commit({ durability: "kept", deletes: [{ space: "things", key: "a" }] });
    expect(ledger.get("things", "a")).toBeUndefined();
    const third = await ledger.commit(put("things", "a", 1));
    expect(first.revision).toBeGreaterThan(0);
    expect(second.revision).toBeGreaterThan(first.revision);
    expect(third.revision).toBeGreaterThan(second.revision);
    expect(ledger.get("things", "b")?.revision).toBe(second.revision);
  });

  withLedger("everything of one commit has the same revision", async (ledger) => {
    const puts = ["a", "b", "c"].map((key) => ({ space: "things", key, value: key }));
    const { revision } = await ledger.commit({ durability: "fixed", puts });
    expect(ledger.list("things").map(({ entry }) => entry.revision)).toEqual([revision, revision, revision]);
  });

  withLedger("a commit is visible from the moment it was called", async (ledger) => {
    const promise = ledger.commit({ ...put("things", "a", 1), records: [note("audit", 1)] });
    expect(ledger.get("things", "a")?.value).toBe(1);
    expect(ledger.list("things").map(({ key }) => key)).toEqual(["a"]);
    expect(ledger.lastSeq("audit")).toBe(1);
    const removal = ledger.commit({
      durability: "volatile",
      deletes: [{ space: "things", key: "a" }],
    });
    expect(ledger.get("things", "a")).toBeUndefined();
    expect(ledger.list("things")).toEqual([]);
    const { revision } = await promise;
    expect((await removal).revision).toBeGreaterThan(revision);
    expect(ledger.get("things", "a")).toBeUndefined();
  });

  withLedger("a key that one commit both deletes and puts ends up put", async (ledger) => {
    await ledger.commit(put("things", "a", 1));
    await ledger.commit({ ...put("things", "a", 2), deletes: [{ space: "things", key: "a" }] });
    expect(ledger.get("things", "a")?.value).toBe(2);
  });

  withLedger("of two puts to one key in one commit the last one stands", async (ledger) => {
    const puts = [1, 2].map((value) => ({ space: "things", key: "a", value }));
    await ledger.commit({ durability: "kept", puts });
    expect(ledger.get("things", "a")?.value).toBe(2);
    expect(ledger.list("things")).toHaveLength(1);
  });

  withLedger("deleting what is not there is no error", async (ledger) => {
    await ledger.commit({ durability: "fixed", deletes: [{ space: "things", key: "ghost" }] });
    expect(ledger.list("things")).toEqual([]);
  });

  withLedger("each class of durability is accepted, with the reserve too", async (ledger) => {
    for (const durability of ["fixed", "kept", "volatile"] as const) {
      await ledger.commit({ ...put("things", durability, true), durability, reserve: true });
    }
    expect(ledger.list("things").map(({ key }) => key)).toEqual(["fixed", "kept", "volatile"]);
  });
}

function expectations(withLedger: WithLedger): void {
  const stale = { code: "REVISION_STALE" };

  withLedger("a commit whose expectations hold is written", async (ledger) => {
    const { revision } = await ledger.commit(put("things", "a", 1));
    await ledger.commit({
      ...put("things", "a", 2),
      expect: [
        { space: "things", key: "a", revision },
        { space: "things", key: "b", revision: 0 },
      ],
    });
    expect(ledger.get("things", "a")?.value).toBe(2);
  });

  withLedger("one expectation that fails leaves nothing of the commit", async (ledger) => {
    const { revision } = await ledger.commit({
      ...put("things", "a", 1),
      records: [note("audit", 1)],
    });
    await ledger.commit(put("things", "b", 1));
    const refused = ledger.commit({
      durability: "fixed",
      expect: [
        { space: "things", key: "a", revision },
        { space: "things", key: "b", revision },
      ],
      puts: [
        { space: "things", key: "a", value: 9 },
        { space: "things", key: "c", value: 9 },
      ],
      deletes: [{ space: "things", key: "b" }],
      records: [note("audit", 2), note("bus", 2)],
    });
    await expect(refused).rejects.toMatchObject(stale);
    expect(ledger.list("things").map(({ key, entry }) => [key, entry.value])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    expect(ledger.get("things", "a")?.revision).toBe(revision);
    expect(ledger.records("audit")).toHaveLength(1);
    expect(ledger.lastSeq("audit")).toBe(1);
    expect(ledger.lastSeq("bus")).toBe(0);
  });

  withLedger("`revision: 0` asks for absence", async (ledger) => {
    const expectAbsent = [{ space: "things", key: "a", revision: 0 }];
    await ledger.commit({ ...put("things", "a", 1), expect: expectAbsent });
    await expect(ledger.commit({ ...put("things", "a", 2), expect: expectAbsent })).rejects.toMatchObject(stale);
    await ledger.commit({ durability: "fixed", deletes: [{ space: "things", key: "a" }] });
    await ledger.commit({ ...put("things", "a", 3), expect: expectAbsent });
    expect(ledger.get("things", "a")?.value).toBe(3);
  });

  withLedger("an old revision does not come back after delete and put", async (ledger) => {
    const { revision } = await ledger.commit(put("things", "a", 1));
    await ledger.commit({ durability: "fixed", deletes: [{ space: "things", key: "a" }] });
    await ledger.commit(put("things", "a", 1));
    const late = ledger.commit({
      ...put("things", "a", 2),
      expect: [{ space: "things", key: "a", revision }],
    });
    await expect(late).rejects.toMatchObject(stale);
  });

  withLedger("of two commits at once that expect the same revision exactly one wins", async (ledger) => {
    const { revision } = await ledger.commit(put("things", "a", 0));
    const attempts = [1, 2, 3].map((value) =>
      ledger.commit({
        ...put("things", "a", value),
        expect: [{ space: "things", key: "a", revision }],
      }),
    );
    const settled = await Promise.allSettled(attempts);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(ledger.get("things", "a")?.value).toBe(1);
  });

  withLedger("expectations look at the state before the commit's own puts", async (ledger) => {
    await ledger.commit({
      ...put("things", "a", 1),
      expect: [{ space: "things", key: "a", revision: 0 }],
    });
    expect(ledger.get("things", "a")?.value).toBe(1);
  });

  withLedger("a refused commit uses up no sequence number", async (ledger) => {
    await ledger.commit(put("things", "a", 1));
    const refused = ledger.commit({
      durability: "fixed",
      expect: [{ space: "things", key: "a", revision: 0 }],
      records: [note("bus", 1)],
    });
    await expect(refused).rejects.toMatchObject(stale);
    expect((await ledger.commit({ durability: "fixed", records: [note("bus", 2)] })).seqs).toEqual([1]);
  });
}

function copies(withLedger: WithLedger): void {
  withLedger("changing an object after it was committed changes nothing", async (ledger) => {
    const value = { list: [1], deep: { n: 1 } };
    const data = { deep: { n: 1 } };
    const done = ledger.commit({
      ...put("things", "a", value),
      records: [{ stream: "audit", kind: "note", at: 1, data }],
    });
    meddle(() => value.list.push(2));
    meddle(() => (value.deep.n = 2));
    meddle(() => (data.deep.n = 2));
    await done;
    expect(ledger.get("things", "a")?.value).toEqual({ list: [1], deep: { n: 1 } });
    expect(ledger.records("audit")[0]?.data).toEqual({ deep: { n: 1 } });
  });

  withLedger("changing what was read changes nothing", async (ledger) => {
    await ledger.commit({ ...put("things", "a", { deep: { n: 1 } }), records: [note("audit", 1)] });
    // The casts do what a careless caller without types would do.
    const got = ledger.get("things", "a")?.value as { deep: { n: number } };
    const listed = ledger.list("things")[0]?.entry.value as { deep: { n: number } };
    const record = ledger.records("audit")[0]?.data as { n: number };
    meddle(() => (got.deep.n = 2));
    meddle(() => (listed.deep.n = 3));
    meddle(() => (record.n = 4));
    expect(ledger.get("things", "a")?.value).toEqual({ deep: { n: 1 } });
    expect(ledger.list("things")[0]?.entry.value).toEqual({ deep: { n: 1 } });
    expect(ledger.records("audit")[0]?.data).toEqual({ n: 1 });
  });

  withLedger("names that every object inherits are ordinary names", async (ledger) => {
    const names = ["__proto__", "constructor", "hasOwnProperty", "toString"];
    for (const name of names) {
      expect(ledger.get(name, name)).toBeUndefined();
      expect(ledger.get("things", name)).toBeUndefined();
    }
    for (const name of names) {
      await ledger.commit(put(name, name, name));
      await ledger.commit(put("things", name, JSON.parse(`{"${name}":1,"x":{"${name}":2}}`)));
    }
    for (const name of names) {
      expect(ledger.get(name, name)?.value).toBe(name);
      expect(ledger.list(name).map(({ key }) => key)).toEqual([name]);
      expect(JSON.stringify(ledger.get("things", name)?.value)).toBe(`{"${name}":1,"x":{"${name}":2}}`);
    }
    expect(ledger.list("things").map(({ key }) => key)).toEqual(names);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
}

function listing(withLedger: WithLedger): void {
  const keysOf = (entries: ReturnType<Ledger["list"]>): string[] => entries.map(({ key }) => key);
  const fill = (ledger: Ledger, keys: readonly string[]): Promise<unknown> =>
    ledger.commit({
      durability: "kept",
      puts: keys.map((key) => ({ space: "things", key, value: key })),
    });

  withLedger("a list is in code unit order, whatever the order of writing", async (ledger) => {
    // UTF-8 and locale order both differ from code units here: the gadget emoji starts with U+D83D.
    const ordered = ["B", "Z", "a", "a/1", "a/10", "a/2", "z", "é", "\u{1F4DF}", "\uFFFD"];
    await fill(ledger, ordered.toReversed());
    expect(keysOf(ledger.list("things"))).toEqual(ordered);
  });

  withLedger("a prefix is taken literally", async (ledger) => {
    await fill(ledger, ["a", "a%b", "a_b", "aXb", "a/b", "A/b", "a*b", "a\\b", "b"]);
    expect(keysOf(ledger.list("things", { prefix: "a%" }))).toEqual(["a%b"]);
    expect(keysOf(ledger.list("things", { prefix: "a_" }))).toEqual(["a_b"]);
    expect(keysOf(ledger.list("things", { prefix: "a/" }))).toEqual(["a/b"]);
    expect(keysOf(ledger.list("things", { prefix: "a*" }))).toEqual(["a*b"]);
    expect(keysOf(ledger.list("things", { prefix: "a\\" }))).toEqual(["a\\b"]);
    expect(keysOf(ledger.list("things", { prefix: "" }))).toHaveLength(9);
    expect(keysOf(ledger.list("things", { prefix: "nothing" }))).toEqual([]);
  });

  withLedger("a prefix reaches keys that continue with the highest code unit", async (ledger) => {
    await fill(ledger, ["a", "a\uFFFF", "a\uFFFFz", "b"]);
    expect(keysOf(ledger.list("things", { prefix: "a" }))).toEqual(["a", "a\uFFFF", "a\uFFFFz"]);
  });

  withLedger("`after` is exclusive, need not exist, and goes with prefix and limit", async (ledger) => {
    await fill(ledger, ["a/1", "a/2", "a/3", "b/1", "b/2"]);
    expect(keysOf(ledger.list("things", { after: "a/2" }))).toEqual(["a/3", "b/1", "b/2"]);
    expect(keysOf(ledger.list("things", { after: "a/25" }))).toEqual(["a/3", "b/1", "b/2"]);
    expect(keysOf(ledger.list("things", { prefix: "b/", after: "a/2" }))).toEqual(["b/1", "b/2"]);
    expect(keysOf(ledger.list("things", { prefix: "a/", after: "a/1", limit: 1 }))).toEqual(["a/2"]);
    expect(keysOf(ledger.list("things", { prefix: "a/", after: "b" }))).toEqual([]);
  });

  withLedger("a list holds at most 1 000 entries and the rest comes by paging", async (ledger) => {
    const keys = Array.from({ length: 1_005 }, (_, i) => `k${String(i).padStart(5, "0")}`);
    await fill(ledger, keys);
    const first = keysOf(ledger.list("things"));
    expect(first).toEqual(keys.slice(0, 1_000));
    expect(ledger.list("things", { limit: 5_000 })).toHaveLength(1_000);
    expect(keysOf(ledger.list("things", { after: first.at(-1) ?? "" }))).toEqual(keys.slice(1_000));
  });
}

function streams(withLedger: WithLedger): void {
  withLedger("each stream counts for itself, without gaps, in the order of the commit", async (ledger) => {
    const first = await ledger.commit({
      durability: "fixed",
      records: [note("audit", 1), note("bus", 2), note("audit", 3), note("runs", 4)],
    });
    const second = await ledger.commit({
      durability: "volatile",
      records: [note("bus", 5), note("audit", 6)],
    });
    expect(first.seqs).toEqual([1, 1, 2, 1]);
    expect(second.seqs).toEqual([2, 3]);
    expect(ledger.records("audit").map(({ seq, data }) => [seq, data["n"]])).toEqual([
      [1, 1],
      [2, 3],
      [3, 6],
    ]);
    expect(ledger.lastSeq("audit")).toBe(3);
    expect(ledger.lastSeq("bus")).toBe(2);
    expect(ledger.lastSeq("runs")).toBe(1);
  });

  withLedger("a record comes back whole", async (ledger) => {
    await ledger.commit({
      durability: "fixed",
      records: [
        {
          stream: "audit",
          kind: "effect.reserved",
          at: 1_767_225_600_000,
          correlation: "c-1",
          data: { a: [1, null] },
        },
        { stream: "audit", kind: "plain", at: 5, data: {} },
      ],
    });
    expect(ledger.records("audit")).toEqual([
      {
        stream: "audit",
        kind: "effect.reserved",
        at: 1_767_225_600_000,
        correlation: "c-1",
        data: { a: [1, null] },
        seq: 1,
      },
      { stream: "audit", kind: "plain", at: 5, data: {}, seq: 2 },
    ]);
    expect(ledger.records("audit")[1]).not.toHaveProperty("correlation");
  });

  withLedger("records are paged by sequence number, at most 1 000 a page", async (ledger) => {
    const records = Array.from({ length: 1_003 }, (_, n) => note("audit", n));
    await ledger.commit({ durability: "kept", records });
    const seqs = (options?: Parameters<Ledger["records"]>[1]): number[] =>
      ledger.records("audit", options).map(({ seq }) => seq);
    expect(seqs()).toHaveLength(1_000);
    expect(seqs()[0]).toBe(1);
    expect(seqs({ limit: 9_999 })).toHaveLength(1_000);
    expect(seqs({ after: 1_000 })).toEqual([1_001, 1_002, 1_003]);
    expect(seqs({ after: 10, limit: 2 })).toEqual([11, 12]);
    expect(seqs({ after: 1_003 })).toEqual([]);
  });

  withLedger("commits called without waiting keep their order", async (ledger) => {
    const all = Array.from({ length: 50 }, (_, n) =>
      ledger.commit({ ...put("things", "a", n), records: [note("runs", n)] }),
    );
    const done = await Promise.all(all);
    expect(done.map(({ seqs }) => seqs[0])).toEqual(all.map((_, n) => n + 1));
    expect(ledger.records("runs").map(({ data }) => data["n"])).toEqual(all.map((_, n) => n));
    expect(ledger.get("things", "a")?.value).toBe(49);
  });
}

function closing(name: string, open: () => Promise<Ledger>): void {
  test(`${name}: closing waits for what was committed, may be repeated, and ends writing`, async () => {
    const ledger = await open();
    const pending = ledger.commit(put("things", "a", 1));
    await ledger.close();
    await expect(pending).resolves.toHaveProperty("revision");
    await expect(ledger.commit(put("things", "a", 2))).rejects.toMatchObject({
      code: "STORE_CLOSED",
    });
    await ledger.close();
  });
}

function reopening(
  name: string,
  open: () => Promise<Ledger>,
  reopen: NonNullable<LedgerContractOptions["reopen"]>,
): void {
  test(`${name}: what was committed is there after reopening, and counting goes on`, async () => {
    const before = await open();
    await before.commit({ ...put("things", "a", { n: 1 }), records: [note("audit", 1)] });
    await before.commit({
      ...put("things", "gone", 1),
      records: [note("audit", 2), note("bus", 1)],
    });
    const { revision } = await before.commit({
      durability: "fixed",
      deletes: [{ space: "things", key: "gone" }],
    });
    const kept = before.get("things", "a");
    const after = await reopen(before);
    try {
      expect(after.get("things", "a")).toEqual(kept);
      expect(after.list("things").map(({ key }) => key)).toEqual(["a"]);
      expect(after.records("audit").map(({ seq }) => seq)).toEqual([1, 2]);
      const next = await after.commit({
        ...put("things", "b", 1),
        records: [note("audit", 3), note("bus", 2)],
      });
      expect(next.seqs).toEqual([3, 2]);
      expect(next.revision).toBeGreaterThan(revision);
    } finally {
      await after.close();
    }
  });
}
