import type { Dropped } from "./writer-messages.ts";

/** What the ledger has done and dropped since it was opened. */
export interface LedgerCounters {
  readonly commits: number;
  readonly transactions: number;
  readonly syncs: number;
  readonly failedBatches: number;
  readonly refusedBusy: number;
  /** Refused because the disk was full. */
  readonly refusedFull: number;
  /** Answered from the reserve while the disk was full. */
  readonly reserved: number;
  /** Answered, then lost with a failing batch: the risk that `volatile` takes. */
  readonly volatileLost: number;
  readonly failedTrims: number;
  /** Records that retention took away, over the life of the database. */
  readonly dropped: Dropped;
}

export type CountedLedger = { -readonly [K in keyof LedgerCounters]: LedgerCounters[K] };

export function createLedgerCounters(): CountedLedger {
  return {
    commits: 0,
    transactions: 0,
    syncs: 0,
    failedBatches: 0,
    refusedBusy: 0,
    refusedFull: 0,
    reserved: 0,
    volatileLost: 0,
    failedTrims: 0,
    dropped: { audit: 0, runs: 0, bus: 0 },
  };
}
