import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { OutputKind } from "./run-record.ts";

export interface Leak {
  readonly file: string;
  /** The first letters, so that it can be told which one it was. */
  readonly secret: string;
  readonly spelling: string;
}

export interface Searched {
  readonly leaks: readonly Leak[];
  readonly secrets: number;
  /** Characters looked through, by kind. */
  readonly characters: Readonly<Record<OutputKind, number>>;
}

/** Credentials that the product makes: none of them belongs into any output, whether or not a test registered it. */
const SHAPES: readonly (readonly [name: string, shape: RegExp])[] = [
  ["an access token", /\bstead_[\w-]{40,}/],
  ["a signed token", /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}/],
];

/** Shorter ones are ordinary words by accident. */
const SHORTEST = 8;

/** Looks for every secret of a run, however it may be spelt, in all that the run wrote. */
export function findSecrets(folder: string): Searched {
  const secrets = readSecrets(join(folder, "secrets"));
  const spelt = [...secrets].flatMap(spellings);
  const leaks: Leak[] = [];
  const characters = { logs: 0, metrics: 0, errors: 0 };
  for (const kind of ["logs", "metrics", "errors"] as const) {
    for (const file of filesIn(join(folder, kind))) {
      const text = readFileSync(file, "utf8");
      characters[kind] += text.length;
      for (const { value, spelling, name } of spelt) {
        if (text.includes(value)) leaks.push({ file, secret: name, spelling });
      }
      for (const [name, shape] of SHAPES) {
        const found = shape.exec(text)?.[0];
        if (found !== undefined) leaks.push({ file, secret: `${found.slice(0, 10)}…`, spelling: name });
      }
    }
  }
  return { leaks, secrets: secrets.size, characters };
}

function readSecrets(folder: string): Set<string> {
  const lines = filesIn(folder).flatMap((file) => readFileSync(file, "utf8").split("\n").filter(Boolean));
  return new Set(lines);
}

function spellings(base64: string): { value: string; spelling: string; name: string }[] {
  const bytes = Buffer.from(base64, "base64");
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(bytes);
  const name = isText ? `${text.slice(0, 6)}…` : `${bytes.length} bytes`;
  const all = {
    ...(isText && { plain: text, json: JSON.stringify(text).slice(1, -1), url: encodeURIComponent(text) }),
    base64: base64.replaceAll("=", ""),
    base64url: bytes.toString("base64url"),
    hex: bytes.toString("hex"),
  };
  return Object.entries(all).flatMap(([spelling, value]) =>
    value.length < SHORTEST ? [] : [{ value, spelling, name }],
  );
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((file) => statSync(file).isFile());
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
