import { subjectError } from "../subject-error.ts";
import type { StandardSchema } from "./standard-schema.ts";
import type { ValueType } from "./value-type.ts";

/** The quick check that every write gets, also the owner's own: is it that kind of value at all? Null is decided elsewhere. */
export type ValueCheck = (value: unknown) => boolean;

const isText: ValueCheck = (value) => typeof value === "string";
const isWhole: ValueCheck = (value) =>
  typeof value === "number" ? Number.isInteger(value) : typeof value === "bigint";

export function checkFor(type: ValueType): ValueCheck {
  switch (type.kind) {
    case "number":
      return (value) => typeof value === "number";
    case "integer":
      return isWhole;
    case "boolean":
      return (value) => typeof value === "boolean";
    case "enum": {
      const members = new Set<unknown>(type.members);
      return (value) => members.has(value);
    }
    case "bytes":
      return (value) => value instanceof Uint8Array;
    case "list":
      return Array.isArray;
    case "record":
      return (value) => typeof value === "object" && value !== null && !Array.isArray(value);
    case "unknown":
      return (value) => value !== undefined;
    case "schema":
      return (value) => passes(type.schema, value).issues === undefined;
    default:
      return isText;
  }
}

/** Runs a schema that must answer at once: a write cannot wait. */
export function passes(
  schema: StandardSchema,
  value: unknown,
): { readonly value?: unknown; readonly issues?: readonly string[] } {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) {
    result.catch(() => {}); // nobody will look at it; the refusal below is the answer
    throw subjectError("DEFINITION_ERROR", "A property's schema must validate synchronously.");
  }
  if (result.issues === undefined) return { value: result.value };
  return { issues: result.issues.map(({ message }) => message) };
}
