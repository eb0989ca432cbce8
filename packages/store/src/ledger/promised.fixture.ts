import type { Ledger, StoredRecord, StreamName } from "@steading/kernel";
import { expect } from "vitest";
import type { Store } from "../store.ts";

/** What the committing process was answered. */
export interface Promised {
  readonly committed: { readonly n: number; readonly seq: number }[];
  /** Commits that were answered before the disk had spoken. */
  readonly risked: { readonly n: number }[];
  readonly refused: { readonly n: number; readonly code: string }[];
  readonly read: number[];
  readonly unread: { readonly n: number; readonly code: string }[];
  transactions: number;
}

export const nothingPromised = (): Promised => ({
  committed: [],
  risked: [],
  refused: [],
  read: [],
  unread: [],
  transactions: 0,
});

export function listen(promised: Promised, line: string): void {
  const [word, first = "0", second = "0", third, fourth] = line.split(" ");
  const n = Number(first);
  const durability = word === "read" ? second : fourth;
  if (word === "committed" && durability === "volatile") promised.risked.push({ n });
  if (word === "committed" && durability !== "volatile" && third !== undefined)
    promised.committed.push({ n, seq: Number(second) });
  if (word === "refused") promised.refused.push({ n, code: second });
  if (word === "read" && durability !== "volatile") promised.read.push(n);
  if (word === "unread") promised.unread.push({ n, code: second });
  if (word === "transactions") promised.transactions = n;
}

/** Everything promised is there, state and record together, and no number is missing. */
export function judge(store: Store, promised: Promised): void {
  const audit = allRecords(store.ledger, "audit");
  const bus = allRecords(store.ledger, "bus");
  expect(audit.map(({ seq }) => seq)).toEqual(audit.map((_, i) => i + 1));
  expect(bus.map(({ seq, data }) => [seq, data])).toEqual(audit.map(({ seq, data }) => [seq, data]));
  expect(store.ledger.lastSeq("audit")).toBe(audit.length);
  for (const { n, seq } of promised.committed) expect(audit[seq - 1]?.data, `commit ${n}`).toEqual({ n });
  const stated = new Set(allKeys(store.ledger));
  expect(stated).toEqual(new Set(audit.map(({ data }) => `k/${String(data["n"])}`)));
  for (const n of promised.read) expect(store.history.latest(`/thing/${n}`)?.value, `reading ${n}`).toBe(n);
}

function allRecords(ledger: Ledger, stream: StreamName): StoredRecord[] {
  const all: StoredRecord[] = [];
  for (
    let page = ledger.records(stream);
    page.length > 0;
    page = ledger.records(stream, { after: all.at(-1)?.seq ?? 0 })
  ) {
    all.push(...page);
  }
  return all;
}

function* allKeys(ledger: Ledger): Generator<string> {
  for (
    let page = ledger.list("thing");
    page.length > 0;
    page = ledger.list("thing", { after: page.at(-1)?.key ?? "" })
  ) {
    for (const { key } of page) yield key;
  }
}
