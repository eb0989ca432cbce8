import type { Json } from "@steading/kernel";

/** The deepest thing a core sends is a condition in an automation in a list; this is several times that. */
const MOST_DEPTH = 40;

/** Undefined: no JSON, or nested so deeply that whoever walks it later would fall over. */
export function parseBoundedJson(text: string): Json | undefined {
  if (tooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as Json; // which is what it makes
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

function tooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === BACKSLASH) i += 1;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth > MOST_DEPTH) return true;
    } else if (CLOSING.has(code)) depth -= 1;
  }
  return false;
}
