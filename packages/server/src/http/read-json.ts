const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export type ReadJson =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "not-json" }
  | { readonly kind: "too-deep" }
  | { readonly kind: "repeated-name" };

/**
 * JSON from strangers. Two things that a parser lets pass are refused. Depth, because a few megabytes of brackets keep
 * the parser busy for seconds and everything recursive after it is at risk. Names that occur twice in one object,
 * because whoever looked at the request before us may have read the other one.
 */
export function readJson(bytes: Uint8Array, mostDepth: number): ReadJson {
  const { depth, names } = scan(bytes, mostDepth);
  if (depth > mostDepth) return { kind: "too-deep" };
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    return { kind: "not-json" };
  }
  // Every colon outside a string stands behind a name; the parser keeps one name of several equal ones.
  return countNames(value) === names ? { kind: "json", value } : { kind: "repeated-name" };
}

/** One pass over the bytes. What is no JSON may be scanned to anything; the parser finds out afterwards. */
function scan(bytes: Uint8Array, mostDepth: number): { readonly depth: number; readonly names: number } {
  let depth = 0;
  let names = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case COLON:
        names++;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > mostDepth) return { depth, names };
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
      default:
    }
  }
  return { depth, names };
}

/** Where the closing quote is, or the end of the bytes. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Not deeper than the scan allowed, so that it may call itself. */
function countNames(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const each of value) count += countNames(each);
    return count;
  }
  // Own names only: what came from JSON has no others.
  for (const name in value) count += 1 + countNames((value as Record<string, unknown>)[name]);
  return count;
}
