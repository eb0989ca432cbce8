import type * as z from "zod";
import { deviceText } from "./device-text.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { kernelError } from "./kernel-errors.ts";
import { nearestName } from "./nearest-name.ts";
import type { SteadingError } from "./steading-error.ts";

/** One thing that is wrong with a call's arguments. `path` is empty when it concerns all of them. */
export interface ArgumentProblem {
  readonly path: string;
  readonly message: string;
}

/** A caller that sends more mistakes than this does not read them one by one. */
const PROBLEMS_SHOWN = 50;
const PROBLEMS_IN_SENTENCE = 5;

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Says what is wrong in our own words: the validator's texts and names are no part of any contract. */
export function argumentProblems(issues: readonly Issue[], raw: unknown, schema: JsonObject): ArgumentProblem[] {
  const found: ArgumentProblem[] = [];
  const collect = (issue: Issue, base: Path): void => {
    const path = [...base, ...issue.path];
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) found.push(unknownField(key, path, schema));
    } else if (issue.code === "invalid_union") {
      collectUnion(issue, path);
    } else {
      found.push({ path: pathText(path), message: sentence(issue, valueAt(raw, path) === undefined) });
    }
  };
  function collectUnion(issue: Extract<Issue, { code: "invalid_union" }>, path: Path): void {
    const branches = issue.errors;
    const missing = valueAt(raw, path) === undefined;
    const kinds = branches.flatMap((each) => each.filter((i) => i.code === "invalid_type" && i.path.length === 0));
    if (missing || branches.length === 0 || kinds.length === branches.length) {
      const options = "options" in issue && Array.isArray(issue.options) ? issue.options.map(quote).join(", ") : "";
      const types = kinds.map((i) => (i.code === "invalid_type" ? typeName(i.expected) : "")).join(", or ");
      const wanted = options !== "" ? `must be one of ${options}` : types !== "" ? `must be ${types}` : "is not valid";
      found.push({ path: pathText(path), message: missing && options === "" ? "is required" : wanted });
      return;
    }
    // The form that comes nearest is most likely the one that was meant.
    const nearest = branches.reduce((best, each) => (distance(each) < distance(best) ? each : best));
    for (const each of nearest) collect(each, path);
  }
  for (const issue of issues) collect(issue, []);
  return found;
}

function distance(issues: readonly Issue[]): number {
  const atRoot = issues.some((i) => i.path.length === 0 && i.code === "invalid_type");
  return issues.length + (atRoot ? 1_000 : 0);
}

function unknownField(key: string, path: Path, schema: JsonObject): ArgumentProblem {
  const known = fieldsAt(schema, path);
  const near = nearestName(key, known) ?? otherWord(key, known);
  const advice =
    near !== undefined
      ? `; did you mean ${quote(near)}?`
      : known.length > 0
        ? `; known fields are ${known.slice(0, 20).map(quote).join(", ")}`
        : "; there are no fields here";
  return { path: pathText([...path, key]), message: `is not a known field${advice}` };
}

/** Other interfaces have other words for the same thing, and clients bring them along. */
const SAME_THING: readonly (readonly string[])[] = [["arguments", "args", "parameters", "params"]];

function otherWord(key: string, known: readonly string[]): string | undefined {
  const words = SAME_THING.find((group) => group.includes(key.toLowerCase()));
  return known.find((name) => words?.includes(name) === true);
}

function sentence(issue: Issue, missing: boolean): string {
  switch (issue.code) {
    case "invalid_type":
      return missing ? "is required" : `must be ${typeName(issue.expected)}`;
    case "invalid_value":
      if (missing) return "is required";
      return issue.values.length === 1
        ? `must be ${quote(issue.values[0])}`
        : `must be one of ${issue.values.map(quote).join(", ")}`;
    case "too_small":
      return bound(issue, issue.minimum, issue.inclusive === false ? "more than" : "at least");
    case "too_big":
      return bound(issue, issue.maximum, issue.inclusive === false ? "less than" : "at most");
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return issue.format === "regex"
        ? `must match ${issue.pattern ?? "the pattern"}`
        : `must be a valid ${issue.format}`;
    case "invalid_key":
      return "has a key that is not allowed";
    case "custom":
      // The author of the tool wrote this sentence; a refinement without one says only that it did not hold.
      return issue.message === "Invalid input" ? "is not valid" : issue.message;
    default:
      return "is not valid";
  }
}

function bound(issue: { origin: string; exact?: boolean }, limit: number | bigint, words: string): string {
  const relation = issue.exact ? "exactly" : words;
  const unit = { string: "characters", array: "items", set: "items", file: "bytes", object: "fields" }[issue.origin];
  return unit === undefined ? `must be ${relation} ${limit}` : `must have ${relation} ${limit} ${unit}`;
}

function typeName(expected: string): string {
  if (expected === "int") return "a whole number";
  if (expected === "record") return "an object";
  if (expected === "null") return "null";
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

/** What the caller sent is quoted, capped and free of control characters before it comes back in a sentence. */
function quote(value: unknown): string {
  return JSON.stringify(typeof value === "string" ? deviceText(value, 64) : String(value));
}

function pathText(path: Path): string {
  return path
    .map((part, i) => (typeof part === "number" ? `[${part}]` : `${i > 0 ? "." : ""}${deviceText(String(part), 64)}`))
    .join("");
}

function valueAt(raw: unknown, path: Path): unknown {
  let at: unknown = raw;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

/** The field names that the schema knows at a path; none when it branches there. */
function fieldsAt(schema: JsonObject, path: Path): string[] {
  let at: unknown = schema;
  for (const part of path) {
    if (!isJsonObject(at)) return [];
    const properties: unknown = at["properties"];
    at = typeof part === "number" ? at["items"] : isJsonObject(properties) ? properties[String(part)] : undefined;
  }
  const properties: unknown = isJsonObject(at) ? at["properties"] : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

/** All of it as one error. `subject` is what the problems are about: `Arguments of set_property`. */
export function invalidArguments(subject: string, problems: readonly ArgumentProblem[]): SteadingError {
  const shown = problems.slice(0, PROBLEMS_SHOWN).map(({ path, message }) => ({ path, message }));
  const more = problems.length - PROBLEMS_IN_SENTENCE;
  const named = problems.slice(0, PROBLEMS_IN_SENTENCE).map(inWords).join("; ");
  const sentence = more > 0 ? `${named}; and ${more} more` : named;
  return kernelError("INVALID_ARGUMENTS", `${subject}: ${sentence}${sentence.endsWith("?") ? "" : "."}`, {
    details: { problems: shown, ...(problems.length > PROBLEMS_SHOWN ? { problems_cut: true } : {}) },
  });
}

export function inWords({ path, message }: ArgumentProblem): string {
  return path === "" ? message : `"${path}" ${message}`;
}
