/** What the ledger has done and dropped since it was opened. */
export interface LedgerCounters {
  readonly commits: number;
  readonly transactions: number;
  readonly syncs: number;
  readonly failedBatches: number;
  readonly refusedBusy: number;
  /** Answered, then lost with a failing batch: the risk that `volatile` takes. */
  readonly volatileLost: number;
}

export function createLedgerCounters(): { -readonly [K in keyof LedgerCounters]: number } {
  return {
    commits: 0,
    transactions: 0,
    syncs: 0,
    failedBatches: 0,
    refusedBusy: 0,
    volatileLost: 0,
  };
}
