import { days, minutes, type Duration } from "@steading/kernel";

/** Bounds of the history. A setting may replace each of them. */
export interface HistoryLimits {
  /** How long `volatile` readings are collected before they are written; a crash loses at most these. */
  readonly batchMs: number;
  /** How many are collected at most before they are written, and how many one transaction takes. */
  readonly batchReadings: number;
  /** Readings that may wait for the writer; beyond it volatile ones are dropped and others refused with STORE_BUSY. */
  readonly queueReadings: number;
  readonly series: number;
  /** Characters of a text or JSON value. */
  readonly textLength: number;
  readonly historyBytes: number;
  /** How long a good value stands when its series does not say. */
  readonly hold: Duration;
  readonly keepRaw: Duration;
  readonly keepMinutes: Duration;
  readonly keepHours: Duration;
}

export const HISTORY_LIMITS: HistoryLimits = {
  batchMs: 100,
  batchReadings: 20_000,
  queueReadings: 400_000,
  series: 100_000,
  textLength: 4_096,
  historyBytes: 256 * 1024 ** 3,
  hold: minutes(15),
  keepRaw: days(90),
  keepMinutes: days(400),
  keepHours: days(3_650),
};
