import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import type { Ledger } from "../ledger.ts";
import { meddle, note, put, type WithLedger } from "./ledger-contract-kit.ts";
import { listing, streams } from "./ledger-contract-lists.ts";

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
      await ledger.commit(put("things", name, JSON.parse(`{"${name}":1,"x":{"${name}":2}}`) as Json));
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
