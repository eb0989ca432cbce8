import { expect } from "vitest";
import type { Ledger } from "../ledger.ts";
import { note, put, type WithLedger } from "./ledger-contract-kit.ts";

/** What lists and streams must do. */
export function listing(withLedger: WithLedger): void {
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

export function streams(withLedger: WithLedger): void {
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
