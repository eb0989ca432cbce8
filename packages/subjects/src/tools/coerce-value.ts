import { isClockTime, isDate, isDateTime, isDuration, isUuid } from "./iso-text.ts";

/** What a property or an argument declares about its values, as far as reading them from outside needs it. */
export interface ValueShape {
  readonly kind: ValueKind;
  readonly nullable?: boolean;
  readonly enum?: readonly string[];
  /** How wide an integer is; with or without a sign. */
  readonly bits?: number;
  /** What each element of a list has to be. */
  readonly items?: ValueShape;
}

export type ValueKind =
  | "string"
  | "uuid"
  | "url"
  | "number"
  | "integer"
  | "int64"
  | "boolean"
  | "enum"
  | "date-time"
  | "date"
  | "time"
  | "duration"
  | "bytes"
  | "array"
  | "object"
  | "unknown";

export type Coerced =
  | { readonly ok: true; readonly value: unknown }
  /** `why` finishes the sentence "… expects". */
  | { readonly ok: false; readonly code: "TYPE_MISMATCH" | "NULL_NOT_ALLOWED"; readonly why: string };

const NUMBER_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const MAX_NUMBER_CHARS = 400;

const accept = (value: unknown): Coerced => ({ ok: true, value });
const refuse = (why: string): Coerced => ({ ok: false, code: "TYPE_MISMATCH", why });

/**
 * Reads a value that came from outside. Text is taken for a number, boolean or JSON only where the declaration says so:
 * a text property keeps `"true"` and `"5"` as they are.
 */
export function coerceValue(given: unknown, shape: ValueShape): Coerced {
  if (given === undefined) return refuse("a value");
  if (given === null || isNullText(given, shape)) {
    if (shape.nullable === true) return accept(null);
    if (given === null && shape.kind === "unknown") return accept(null);
    if (given === null) return { ok: false, code: "NULL_NOT_ALLOWED", why: "a value other than null" };
  }
  return READERS[shape.kind](given, shape);
}

function isNullText(given: unknown, { kind, enum: members }: ValueShape): boolean {
  return given === "null" && kind !== "string" && kind !== "unknown" && members?.includes("null") !== true;
}

type Reader = (given: unknown, shape: ValueShape) => Coerced;

const READERS: Readonly<Record<ValueKind, Reader>> = {
  string: (given) => (typeof given === "string" ? accept(given) : refuse("text")),
  uuid: textThat(isUuid, "a uuid such as 3f2b8c1e-0d4a-4c52-9b7e-2f6d8a1c5e90"),
  url: textThat((text) => URL.canParse(text), "a URL"),
  "date-time": textThat(isDateTime, "an ISO 8601 date-time such as 2026-03-01T06:30:00Z"),
  date: textThat(isDate, "an ISO 8601 date such as 2026-03-01"),
  time: textThat(isClockTime, "an ISO 8601 time such as 06:30:00"),
  duration: textThat(isDuration, "an ISO 8601 duration such as PT15M"),
  number: readNumber,
  integer(given, { bits = 53 }) {
    const read = readNumber(given);
    if (!read.ok) return refuse("a whole number");
    const value = Number(read.value);
    if (bits < 53 && (value < -(2 ** (bits - 1)) || value >= 2 ** bits))
      return refuse(`a whole number of ${bits} bits`);
    return Number.isSafeInteger(read.value) ? read : refuse("a whole number within ±(2^53-1)");
  },
  int64: readInt64,
  boolean: readBoolean,
  enum: readMember,
  bytes: readBytes,
  array: readList,
  object: (given) => readJson(given, isRecord, "an object"),
  unknown: accept,
};

function textThat(fits: (text: string) => boolean, what: string): Reader {
  return (given) => (typeof given === "string" && fits(given) ? accept(given) : refuse(what));
}

function readNumber(given: unknown): Coerced {
  if (typeof given === "number" && Number.isFinite(given)) return accept(given);
  if (typeof given !== "string" || given.length > MAX_NUMBER_CHARS || !NUMBER_TEXT.test(given))
    return refuse("a number");
  const number = Number(given);
  return Number.isFinite(number) ? accept(number) : refuse("a finite number");
}

function readInt64(given: unknown): Coerced {
  const text = typeof given === "number" && Number.isSafeInteger(given) ? String(given) : given;
  if (typeof text !== "string" || !/^[+-]?\d{1,20}$/.test(text)) return refuse("a whole number of 64 bits");
  const value = BigInt(text);
  return value === BigInt.asIntN(64, value) || value === BigInt.asUintN(64, value)
    ? accept(value)
    : refuse("a whole number of 64 bits");
}

function readBoolean(given: unknown): Coerced {
  if (typeof given === "boolean") return accept(given);
  const text = typeof given === "string" && given.length <= 5 ? given.toLowerCase() : "";
  return text === "true" || text === "false" ? accept(text === "true") : refuse("true or false");
}

function readMember(given: unknown, { enum: members = [] }: ValueShape): Coerced {
  const oneOf = `one of ${members.map((member) => JSON.stringify(member)).join(", ")}`;
  if (typeof given !== "string") return refuse(oneOf);
  if (members.includes(given)) return accept(given);
  const lower = given.toLowerCase();
  const alike = members.filter((member) => member.toLowerCase() === lower);
  return alike.length === 1 ? accept(alike[0]) : refuse(oneOf);
}

function readBytes(given: unknown): Coerced {
  if (isRecord(given) && "$bytes" in given)
    return refuse("base64 text; the value that was read only told its length, because it was too long to show");
  if (typeof given !== "string" || given.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(given))
    return refuse("base64 text");
  return accept(new Uint8Array(Buffer.from(given, "base64")));
}

function readJson(given: unknown, fits: (value: unknown) => boolean, what: string): Coerced {
  if (fits(given)) return accept(given);
  if (typeof given !== "string" || !/^\s*[[{]/.test(given)) return refuse(what);
  try {
    const parsed: unknown = JSON.parse(given);
    return fits(parsed) ? accept(parsed) : refuse(what);
  } catch {
    return refuse(`${what}, and the text is not valid JSON`);
  }
}

function readList(given: unknown, { items }: ValueShape): Coerced {
  const read = readJson(given, Array.isArray, "a list");
  if (!read.ok || items === undefined || !Array.isArray(read.value)) return read;
  const values: unknown[] = [];
  for (const [i, element] of read.value.entries()) {
    const one = coerceValue(element, items);
    if (!one.ok) return refuse(`a list, and each element to be ${one.why}; element ${i} is not`);
    values.push(one.value);
  }
  return accept(values);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
