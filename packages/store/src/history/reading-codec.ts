import type { Json } from "@steading/kernel";
import { QUALITIES, type Quality } from "../history.ts";

/** What SQLite stores of a value: numbers as they are, booleans as 0 and 1, all else as text. */
export type StoredValue = number | string | null;

const NUMBER = 0;
const BOOLEAN = 1;
const TEXT = 2;
const JSON_TEXT = 3;

/** Low two bits: quality. Next two: kind of value. A good number is 0, which SQLite stores in no bytes at all. */
export type Flags = number;

export function toStored(value: Json, quality: Quality): { readonly value: number | string; readonly flags: Flags } {
  const trust = Math.max(0, QUALITIES.indexOf(quality));
  if (typeof value === "number") return { value, flags: trust | (NUMBER << 2) };
  if (typeof value === "boolean") return { value: value ? 1 : 0, flags: trust | (BOOLEAN << 2) };
  if (typeof value === "string") return { value, flags: trust | (TEXT << 2) };
  return { value: JSON.stringify(value), flags: trust | (JSON_TEXT << 2) };
}

export function fromStored(value: StoredValue, flags: Flags): { readonly value: Json; readonly quality: Quality } {
  const quality = QUALITIES[flags & 3] ?? "unknown";
  switch (flags >> 2) {
    case BOOLEAN:
      return { value: value === 1, quality };
    case JSON_TEXT:
      return { value: JSON.parse(String(value)) as Json, quality }; // written by toStored
    default:
      return { value, quality };
  }
}

export const isGood = (flags: Flags): boolean => (flags & 3) === 0;

/** The number that aggregates are made of; undefined for text. */
export function numberOf(value: StoredValue, flags: Flags): number | undefined {
  return flags >> 2 <= BOOLEAN && typeof value === "number" ? value : undefined;
}
