import { createHash } from "node:crypto";

/** Functions and schemas have no structure that can be compared; each is itself. */
const identities = new WeakMap<object, number>();
let lastIdentity = 0;

function identity(value: object): string {
  let number = identities.get(value);
  if (number === undefined) identities.set(value, (number = ++lastIdentity));
  return `#${number}`;
}

/** Two definitions with equal keys describe the same thing. */
export function structureKey(name: string, definition: object): string {
  return createHash("sha256").update(`${name}\n`).update(write(definition, 0)).digest("base64url");
}

const MAX_NESTING = 64;

function write(value: unknown, nesting: number): string {
  if (typeof value === "function") return identity(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  if ("~standard" in value || nesting > MAX_NESTING) return identity(value);
  if (Array.isArray(value)) return `[${value.map((each: unknown) => write(each, nesting + 1)).join()}]`;
  // An interface is one thing, named; its members are compared where it is defined.
  if ("interface" in value) return identity(value);
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${fields.map(([key, each]) => `${JSON.stringify(key)}:${write(each, nesting + 1)}`).join()}}`;
}
