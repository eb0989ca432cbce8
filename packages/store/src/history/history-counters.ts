/** What the history has written and dropped since it was opened. */
export interface HistoryCounters {
  readonly written: number;
  readonly batches: number;
  /** Volatile readings that a failing batch took along. */
  readonly lost: number;
  readonly failedBatches: number;
  /** Dropped before they were queued, by reason. */
  readonly droppedInvalid: number;
  readonly droppedTooOld: number;
  readonly droppedAhead: number;
  readonly droppedNoRoom: number;
  readonly droppedSeries: number;
  /** Rows of all levels that retention took away. */
  readonly pruned: number;
  readonly failedPrunes: number;
  /** How often the room of dropped rows was given back to the disk. */
  readonly compactions: number;
}

export type CountedHistory = { -readonly [K in keyof HistoryCounters]: number };

export function createHistoryCounters(): CountedHistory {
  return {
    written: 0,
    batches: 0,
    lost: 0,
    failedBatches: 0,
    droppedInvalid: 0,
    droppedTooOld: 0,
    droppedAhead: 0,
    droppedNoRoom: 0,
    droppedSeries: 0,
    pruned: 0,
    failedPrunes: 0,
    compactions: 0,
  };
}
