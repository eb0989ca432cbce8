import type { Document, LineCounter } from "yaml";
import { isMap, isNode, isScalar } from "yaml";
import type { z } from "zod";
import { nearestName } from "@steading/kernel";

/** One thing that is wrong with a settings file: where, what, and what to write instead. */
export interface SettingsProblem {
  readonly line: number;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

interface Source {
  readonly document: Document;
  readonly lines: LineCounter;
  /** Known keys of the object at a path, for near misses. */
  knownKeys(path: Path): readonly string[];
}

export function toProblems(issue: Issue, source: Source): readonly SettingsProblem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      line: lineOf([...issue.path, key], source),
      message: unknownKey(issue.path, key, source.knownKeys(issue.path)),
    }));
  }
  const path = issue.path;
  const written = source.document.getIn(path);
  const missing = written === undefined && path.length > 0;
  const line = lineOf(path, source);
  const name = label(path);
  if (missing) return [{ line, message: `${name} is missing; add it: ${wanted(issue)}` }];
  return [{ line, message: `${name}: ${complaint(issue, written)}` }];
}

function unknownKey(path: Path, key: string, known: readonly string[]): string {
  const near = nearestName(key, known);
  const where = path.length === 0 ? "at the top" : `in ${label(path)}`;
  return near === undefined
    ? `${key} is not a setting; known ${where}: ${known.join(", ")}`
    : `${key} is not a setting; did you mean ${near}?`;
}

function complaint(issue: Issue, written: unknown): string {
  if (issue.code === "custom") return issue.message;
  return `${show(written)} does not fit; ${wanted(issue)}`;
}

/** What to write, in words. */
function wanted(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `write ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `write ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_small":
      return issue.origin === "array" || issue.origin === "string"
        ? `give at least ${issue.minimum}`
        : `write a number from ${issue.minimum} up`;
    case "too_big":
      return issue.origin === "array" || issue.origin === "string"
        ? `at most ${issue.maximum} are possible`
        : `write a number up to ${issue.maximum}`;
    case "invalid_format":
      if (issue.format === "url") return "write a whole address, for example https://steading.lan";
      return "use letters, digits, _ and - only, beginning with a letter or digit, at most 63 of them";
    default:
      return issue.message;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text (quote it when it looks like a number)",
  int: "a whole number",
  number: "a whole number", // no setting takes fractions
  boolean: "true or false",
  array: "a list: lines that begin with `- `",
  object: "settings of its own, indented below it",
};

function label(path: Path): string {
  return (
    path.reduce<string>(
      (text, step) =>
        typeof step === "number" ? `${text}[${step}]` : text === "" ? String(step) : `${text}.${String(step)}`,
      "",
    ) || "the file"
  );
}

function show(value: unknown): string {
  const text = isNode(value) ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The line of the key at this path, or of the nearest thing above it that exists. */
function lineOf(path: Path, { document, lines }: Pick<Source, "document" | "lines">): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const step = path[length - 1];
    const offset = isMap(parent)
      ? offsetOf(parent.items.find(({ key }) => isScalar(key) && key.value === step)?.key)
      : offsetOf(document.getIn(path.slice(0, length), true));
    if (offset !== undefined) return lines.linePos(offset).line;
  }
  return 1;
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
