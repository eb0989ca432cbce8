import { isJsonObject, SteadingError, type JsonObject } from "@steading/kernel";

export interface ServerEntry {
  readonly member: string;
  readonly name: string;
  readonly entry: JsonObject;
}

/** The text of a configuration file with one server in it; everything else stays, in its order and indentation. */
export function withServer(text: string | undefined, { member, name, entry }: ServerEntry, file: string): string {
  const before = text === undefined || text.trim() === "" ? {} : parse(text, file);
  const servers = before[member] ?? {};
  if (!isJsonObject(servers)) throw unreadable(file, `its ${member} is not an object`);
  const after: JsonObject = { ...before, [member]: { ...servers, [name]: entry } };
  return `${JSON.stringify(after, null, indentOf(text ?? ""))}\n`;
}

function parse(text: string, file: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // Comments would be lost if the file were written again.
    throw unreadable(file, "it is not plain JSON (perhaps it has comments)");
  }
  if (!isJsonObject(value)) throw unreadable(file, "it is not an object");
  return value;
}

function unreadable(file: string, why: string): SteadingError {
  return new SteadingError("CLIENT_CONFIG_UNREADABLE", `${file} was left as it is: ${why}.`, {
    hint: "Add the server by hand; `steading connect <app> --print` shows what to paste.",
  });
}

function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
}

const CONTEXT = 2;

/** What changes between two texts that differ in one place, as lines with - and + in front. */
export function differences(before: string, after: string): string {
  const [old, changed] = [lines(before), lines(after)];
  let first = 0;
  while (first < old.length && first < changed.length && old[first] === changed[first]) first += 1;
  let last = 0;
  while (
    last < old.length - first &&
    last < changed.length - first &&
    old[old.length - 1 - last] === changed[changed.length - 1 - last]
  )
    last += 1;
  if (first === old.length && first === changed.length) return "";
  return [
    ...changed.slice(Math.max(0, first - CONTEXT), first).map((line) => `  ${line}`),
    ...old.slice(first, old.length - last).map((line) => `- ${line}`),
    ...changed.slice(first, changed.length - last).map((line) => `+ ${line}`),
    ...changed.slice(changed.length - last, changed.length - last + CONTEXT).map((line) => `  ${line}`),
    "",
  ].join("\n");
}

function lines(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split(/\r?\n/);
}
