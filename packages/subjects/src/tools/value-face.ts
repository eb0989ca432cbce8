import type { Json, JsonObject } from "@steading/kernel";
import { LISTED_LIST_ITEMS, LISTED_TEXT_CHARS, READ_TEXT_CHARS } from "./tool-limits.ts";

/** How much of a value is shown. `chars` bounds the whole, the others bound each text, list and object inside it. */
export interface FaceCaps {
  readonly text: number;
  readonly items: number;
  readonly chars: number;
}
export const LISTED: FaceCaps = { text: LISTED_TEXT_CHARS, items: LISTED_LIST_ITEMS, chars: 4_000 };
export const READ_WHOLE: FaceCaps = { text: READ_TEXT_CHARS, items: 10_000, chars: 100_000 };

const MAX_NESTING = 32;
const MAX_INLINE_BYTES = 1_024;

/** A value as JSON, with what has to be said when the JSON is not the whole value. */
export interface ValueFace {
  readonly value: Json;
  /** Characters or items of the whole, when the value itself was cut. */
  readonly length?: number;
  /** Something further inside was left out. */
  readonly isTruncated?: true;
  /** The value has no JSON form at all: NaN, an infinity, a getter that throws. */
  readonly isBad?: true;
  readonly format?: "int64";
}

/** Never throws and never runs away: values come from devices and from other people's code. */
export function faceOf(raw: unknown, caps: FaceCaps): ValueFace {
  // Nearly all values are these; they need no state.
  if (typeof raw === "boolean") return { value: raw };
  if (raw === null || raw === undefined) return { value: null };
  if (typeof raw === "number") return Number.isFinite(raw) ? { value: raw } : { value: null, isBad: true };
  if (typeof raw === "string")
    return raw.length <= caps.text ? { value: raw } : { value: cutText(raw, caps.text), length: raw.length };
  const drawing: Drawing = { caps, left: caps.chars, cut: false, bad: false, int64: false, within: new Set() };
  const value = draw(raw, drawing, 0);
  const whole = Array.isArray(raw) && raw.length > caps.items ? raw.length : undefined;
  return {
    value,
    ...(whole === undefined ? {} : { length: whole }),
    ...(drawing.cut ? { isTruncated: true } : {}),
    ...(drawing.bad ? { isBad: true } : {}),
    ...(drawing.int64 ? { format: "int64" } : {}),
  };
}

interface Drawing {
  readonly caps: FaceCaps;
  left: number;
  cut: boolean;
  bad: boolean;
  int64: boolean;
  /** The containers around the present one: meeting one of them again is a cycle. */
  readonly within: Set<object>;
}

function draw(raw: unknown, drawing: Drawing, nesting: number): Json {
  drawing.left -= 4;
  switch (typeof raw) {
    case "boolean":
      return raw;
    case "number":
      return Number.isFinite(raw) ? raw : bad(drawing);
    case "string":
      return drawText(raw, drawing);
    case "bigint":
      return drawInteger(raw, drawing);
    case "undefined":
      return null;
    case "object":
      return raw === null ? null : drawObject(raw, drawing, nesting);
    default:
      return bad(drawing);
  }
}

function bad(drawing: Drawing): null {
  drawing.bad = true;
  return null;
}

function drawText(text: string, drawing: Drawing): string {
  const room = Math.max(0, Math.min(drawing.caps.text, drawing.left));
  drawing.left -= text.length;
  if (text.length <= room) return text;
  drawing.cut = true;
  return cutText(text, room);
}

function drawInteger(value: bigint, drawing: Drawing): Json {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  drawing.int64 = true;
  return value.toString();
}

function drawObject(raw: object, drawing: Drawing, nesting: number): Json {
  try {
    return drawKnown(raw, drawing, nesting);
  } catch {
    return bad(drawing); // a proxy or getter that throws
  }
}

function drawKnown(raw: object, drawing: Drawing, nesting: number): Json {
  if (raw instanceof Uint8Array) return drawBytes(raw);
  // A subject in a value or result is named, never opened: its insides have tools and rules of their own.
  if ("$graph" in raw && "$type" in raw) return subjectRef(raw);
  if (raw instanceof Date) return Number.isNaN(raw.getTime()) ? bad(drawing) : raw.toISOString();
  if (nesting >= MAX_NESTING || drawing.within.has(raw)) {
    drawing.cut = true;
    return null;
  }
  drawing.within.add(raw);
  try {
    if (Array.isArray(raw)) return drawList(raw, drawing, nesting);
    if (raw instanceof Set) return drawList([...raw], drawing, nesting);
    if (raw instanceof Map) return drawEntries(raw, drawing, nesting);
    const own = (raw as { toJSON?: unknown }).toJSON; // Temporal values, URLs and the like say it themselves
    if (typeof own === "function") return draw(own.call(raw), drawing, nesting + 1);
    return drawEntries(ownEntries(raw, drawing), drawing, nesting);
  } finally {
    drawing.within.delete(raw);
  }
}

function subjectRef({ $path, $type }: { $path?: unknown; $type: unknown }): Json {
  return { $ref: typeof $path === "string" ? $path : null, $type: String($type) };
}

function drawBytes(raw: Uint8Array): Json {
  return raw.length > MAX_INLINE_BYTES ? { $bytes: raw.length } : Buffer.from(raw).toString("base64");
}

function drawList(raw: readonly unknown[], drawing: Drawing, nesting: number): Json {
  const list: Json[] = [];
  for (const item of raw) {
    if (list.length >= drawing.caps.items || drawing.left <= 0) {
      drawing.cut ||= nesting > 0 || raw.length <= drawing.caps.items;
      break;
    }
    list.push(draw(item, drawing, nesting + 1));
  }
  return list;
}

function* ownEntries(raw: object, drawing: Drawing): Generator<[string, unknown]> {
  for (const key of Object.keys(raw)) {
    try {
      yield [key, (raw as Record<string, unknown>)[key]];
    } catch {
      bad(drawing);
      yield [key, null];
    }
  }
}

function drawEntries(entries: Iterable<[unknown, unknown]>, drawing: Drawing, nesting: number): JsonObject {
  const drawn: [string, Json][] = [];
  for (const [key, item] of entries) {
    if (drawn.length >= drawing.caps.items || drawing.left <= 0) {
      drawing.cut = true;
      break;
    }
    const name = drawText(String(key), drawing);
    const value = draw(item, drawing, nesting + 1);
    if (item !== undefined) drawn.push([name, value]);
  }
  // fromEntries defines own keys, so `__proto__` is a key like any other.
  return Object.fromEntries(drawn);
}

/** Cuts without leaving half of a surrogate pair behind. */
function cutText(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  const end = chars > 0 && last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars;
  return `${text.slice(0, end)}…`;
}
