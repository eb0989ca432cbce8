import type { JsonTypeName, ValueType } from "./value-type.ts";

export interface JsonFace {
  readonly type: JsonTypeName;
  readonly format?: string;
}

/** How a declared type shows in answers. */
export function jsonFace(type: ValueType | undefined): JsonFace {
  switch (type?.kind) {
    case "number":
      return { type: "number" };
    case "integer":
      return { type: "integer" };
    case "boolean":
      return { type: "boolean" };
    case "string":
    case "enum":
      return { type: "string" };
    case "date-time":
    case "date":
    case "time":
    case "duration":
    case "uuid":
      return { type: "string", format: type.kind };
    case "url":
      return { type: "string", format: "uri" };
    case "bytes":
      return { type: "string", format: "byte" };
    case "list":
      return { type: "array" };
    default:
      return { type: "object" };
  }
}

/** For a derived property that declares nothing, its value tells. */
export function faceOfValue(value: unknown): JsonFace {
  if (typeof value === "number") return { type: "number" };
  if (typeof value === "bigint") return { type: "integer" };
  if (typeof value === "boolean") return { type: "boolean" };
  if (typeof value === "string") return { type: "string" };
  return { type: Array.isArray(value) ? "array" : "object" };
}
