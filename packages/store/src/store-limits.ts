const MiB = 1024 * 1024;

/** Bounds of the store. A setting may replace each of them. */
export interface StoreLimits {
  /** Commits and records that may wait for the writer; beyond it STORE_BUSY. */
  readonly queueRecords: number;
  /** Payload bytes that may wait for the writer; beyond it STORE_BUSY. */
  readonly queueBytes: number;
  /** What one transaction takes. A single larger commit goes alone: it cannot be cut. */
  readonly batchRecords: number;
  readonly batchBytes: number;
  /** A commit above this is refused with COMMIT_TOO_LARGE. */
  readonly commitBytes: number;
  /** Size that `state.db` may grow to; beyond it STORE_FULL. */
  readonly stateBytes: number;
  /** Room that is kept for the records of effects towards safe on a full disk. */
  readonly reserveBytes: number;
  /** A database up to this size is checked before it is used; checking takes about a second per 500 MiB. */
  readonly checkBytes: number;
  /** Audit records are kept at least this long and never dropped for any other reason. */
  readonly auditDays: number;
  /** Records kept of one run, the youngest; a run is a correlation id. */
  readonly runRecords: number;
  /** Records kept of all runs together. */
  readonly runsRecords: number;
  /** Records kept of the bus; `debug` and `info` go first. */
  readonly busRecords: number;
  /** Records of each stream that are kept in memory, so that readers who follow it never touch the disk. */
  readonly tailRecords: number;
}

export const STORE_LIMITS: StoreLimits = {
  queueRecords: 20_000,
  queueBytes: 32 * MiB,
  batchRecords: 1_000,
  batchBytes: 4 * MiB,
  commitBytes: 16 * MiB,
  stateBytes: 64 * 1024 * MiB,
  reserveBytes: 64 * MiB,
  checkBytes: 256 * MiB,
  auditDays: 730,
  runRecords: 500,
  runsRecords: 500_000,
  busRecords: 100_000,
  tailRecords: 1_000,
};
