import { farmError } from "../farm-errors.ts";

/** `2026-03-01`, with a time behind a `T` or a blank, with or without a zone. Without a zone it is UTC, as SQLite writes it. */
const FORM = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Only days beyond this one can be missing from a month; asking takes longer than all the rest. */
const EVERY_MONTH_HAS = "28";

/** Epoch milliseconds of any form the contract accepts; undefined for anything else. */
export function parseInstant(text: string): number | undefined {
  const [, date, time = "00:00", zone = "Z"] = FORM.exec(text.trim()) ?? [];
  if (date === undefined) return undefined;
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const at = Date.parse(`${date}T${time}${offset}`);
  // A date that does not exist is no instant, although some parsers take the 30th of February for the 2nd of March.
  return Number.isNaN(at) || (date.slice(8) > EVERY_MONTH_HAS && !exists(date)) ? undefined : at;
}

export function instant(text: string, what: string): number {
  const at = parseInstant(text);
  if (at !== undefined) return at;
  throw farmError("BAD_INPUT", `${what} must be a time such as 2026-03-01T12:00:00Z.`);
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}

function exists(date: string): boolean {
  const at = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(at) && iso(at).startsWith(date);
}
