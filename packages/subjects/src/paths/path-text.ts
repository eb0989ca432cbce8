/** One step of a path as it was written: a name, and what stood in brackets behind it. */
export interface PathStep {
  readonly name: string;
  readonly key: string | undefined;
  /** As typed, for messages. */
  readonly text: string;
}

export type ParsedPath = { readonly steps: readonly PathStep[] } | { readonly problem: string };

/** As much as one request may hold. A chain of 10 000 subjects has a path, and every printed path is accepted back. */
const MAX_PATH_CHARS = 4 * 1024 * 1024;

const UNSAFE = /[%/[\]\p{Cc}]/u;
const EVERY_UNSAFE = /[%/[\]\p{Cc}]/gu;

/** Writes a name or key so that it can stand in a path. Exactly `%`, `/`, `[`, `]` and control characters are escaped. */
export function escapeText(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return text.replace(EVERY_UNSAFE, (char) => encodeChar(char));
}

/** A name of one or two dots would be taken for "here" and "up". */
export function escapeName(name: string): string {
  if (name === ".") return "%2E";
  if (name === "..") return "%2E%2E";
  return escapeText(name);
}

function encodeChar(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x80) return `%${hex(code)}`;
  return `%${hex(0xc0 | (code >> 6))}%${hex(0x80 | (code & 0x3f))}`; // the controls above ASCII, as UTF-8
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}

/** `name[key]`. */
export function printStep(name: string, key?: string | number): string {
  return key === undefined ? escapeName(name) : `${escapeName(name)}[${escapeText(String(key))}]`;
}

/**
 * Reads a path. Missing, doubled and trailing slashes are forgiven, and a raw slash inside brackets; everything else
 * that does not follow the grammar is a problem, said in a sentence.
 */
export function parsePath(path: string): ParsedPath {
  if (path.length > MAX_PATH_CHARS) return { problem: `A path has at most ${MAX_PATH_CHARS} characters.` };
  const steps: PathStep[] = [];
  const isEscaped = path.includes("%");
  let at = 0;
  while (at < path.length) {
    if (path.charCodeAt(at) === 0x2f) {
      at += 1;
      continue;
    }
    const end = stepEnd(path, at);
    if (typeof end === "string") return { problem: end };
    const text = path.slice(at, end.end);
    const bracket = end.bracket === -1 ? -1 : end.bracket - at;
    const step = isEscaped ? readEscaped(text, bracket) : readPlain(text, bracket);
    if (typeof step === "string") return { problem: step };
    steps.push(step);
    at = end.end;
  }
  return { steps };
}

interface StepEnd {
  readonly end: number;
  /** Where the bracket opens, or -1. */
  readonly bracket: number;
}

function stepEnd(path: string, start: number): StepEnd | string {
  for (let i = start; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (code === 0x2f) return { end: i, bracket: -1 };
    if (code === 0x5d) return `There is a ] without [ in ${quote(path.slice(start))}.`;
    if (code !== 0x5b) continue;
    const close = path.indexOf("]", i);
    if (close === -1) return `The [ in ${quote(path.slice(start))} is never closed.`;
    if (i === start) return `There is no name before the [ in ${quote(path.slice(start))}.`;
    if (close + 1 < path.length && path.charCodeAt(close + 1) !== 0x2f)
      return `After ${quote(path.slice(start, close + 1))} a / or the end is expected.`;
    return { end: close + 1, bracket: i };
  }
  return { end: path.length, bracket: -1 };
}

function readPlain(text: string, bracket: number): PathStep {
  if (bracket === -1) return { name: text, key: undefined, text };
  return { name: text.slice(0, bracket), key: text.slice(bracket + 1, -1), text };
}

function readEscaped(text: string, bracket: number): PathStep | string {
  const name = unescapeText(bracket === -1 ? text : text.slice(0, bracket));
  const key = bracket === -1 ? undefined : unescapeText(text.slice(bracket + 1, -1));
  if (name === undefined || (bracket !== -1 && key === undefined))
    return `There is a malformed % escape in ${quote(text)}.`;
  return { name, key, text };
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined for an escape that is cut short, not hexadecimal, or not UTF-8. */
export function unescapeText(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  try {
    return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
      const bytes = Uint8Array.from(run.slice(1).split("%"), (pair) => Number.parseInt(pair, 16));
      return decoder.decode(bytes);
    });
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Appends a printed step to a printed path. */
export function joinPath(parent: string, step: string): string {
  return parent === "/" ? `/${step}` : `${parent}/${step}`;
}
