import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import { iso, parseInstant } from "../model/instant.ts";
import { parseBoundedJson } from "./bounded-json.ts";

// A core of the reference sends booleans as 0 and 1, JSON as text, and times in two forms; ours may send any of both.

export function toFlag(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === 1 || value === "1" || value === "true") return true;
  return value === 0 || value === "0" || value === "false" ? false : undefined;
}

export function toWhole(value: Json | undefined): number | undefined {
  const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
}

export function toNumber(value: Json | undefined): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

export function toText(value: Json | undefined): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : null;
}

/** Epoch milliseconds. */
export function toInstant(value: Json | undefined): number | null {
  return typeof value === "string" ? (parseInstant(value) ?? null) : null;
}

export function toTime(value: Json | undefined): string | null {
  const at = toInstant(value);
  return at === null ? null : iso(at);
}

/** A column that holds JSON, as text or as it is. */
function toColumn(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? parseBoundedJson(value) : value;
}

export function toObject(value: Json | undefined): JsonObject | undefined {
  const column = toColumn(value);
  return isJsonObject(column) ? column : undefined;
}

export function toList(value: Json | undefined): readonly Json[] {
  const column = toColumn(value);
  return Array.isArray(column) ? (column as readonly Json[]) : []; // the check takes any array for one of anything
}

/** What the core sent beyond the columns we know, so that nothing is lost on the way. */
export function others(row: JsonObject, known: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([key]) => !Object.hasOwn(known, key)));
}
