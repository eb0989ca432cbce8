import type { Json } from "../json.ts";
import type { Commit, Ledger } from "../ledger.ts";

/** Runs a test on a fresh ledger and closes it. */
export type WithLedger = (sentence: string, body: (ledger: Ledger) => Promise<void>) => void;

export function put(space: string, key: string, value: Json): Commit {
  return { durability: "fixed", puts: [{ space, key, value }] };
}
export function note(stream: "audit" | "runs" | "bus", n: number): NonNullable<Commit["records"]>[number] {
  return { stream, kind: "note", at: 1_000 + n, data: { n } };
}
/** Tries to change what was handed out; frozen things throw, copies let it happen. */
export function meddle(change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
