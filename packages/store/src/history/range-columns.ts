import type { Reading } from "../history.ts";
import { fromStored, type StoredValue } from "./reading-codec.ts";

/** Readings of one series in columns: thousands of rows cross to the main thread for the price of a few arrays. */
export interface RangeColumns {
  readonly at: Float64Array;
  /** For text: the position in `texts`. */
  readonly value: Float64Array;
  readonly flags: Uint8Array;
  readonly texts: readonly string[];
}

export type RawRow = [at: number, value: StoredValue, flags: number];

export function toRangeColumns(rows: readonly RawRow[], count: number): RangeColumns {
  const at = new Float64Array(count);
  const value = new Float64Array(count);
  const flags = new Uint8Array(count);
  const texts: string[] = [];
  for (let i = 0; i < count; i++) {
    const row = rows[i];
    if (!row) break;
    at[i] = row[0];
    const stored = row[1];
    value[i] = typeof stored === "number" ? stored : texts.push(stored ?? "null") - 1;
    flags[i] = row[2];
  }
  return { at, value, flags, texts };
}

export function fromRangeColumns(path: string, { at, value, flags, texts }: RangeColumns): Reading[] {
  const readings: Reading[] = [];
  for (let i = 0; i < at.length; i++) {
    const flag = flags[i] ?? 0;
    const number = value[i] ?? 0;
    const stored = fromStored(isText(flag) ? (texts[number] ?? null) : number, flag);
    readings.push({ path, at: at[i] ?? 0, value: stored.value, quality: stored.quality });
  }
  return readings;
}

/** The kind of value is above the two bits of the quality; 2 and 3 are stored as text. */
const isText = (flags: number): boolean => flags >> 2 >= 2;
