import type { StandardSchema } from "./standard-schema.ts";

/** What a value property may hold, before facets narrow it. */
export type ValueType =
  | { readonly kind: "number" }
  | { readonly kind: "integer"; readonly bits?: number }
  | { readonly kind: "string" }
  | { readonly kind: "boolean" }
  | { readonly kind: "enum"; readonly members: readonly string[] }
  | { readonly kind: "date-time" }
  | { readonly kind: "date" }
  | { readonly kind: "time" }
  | { readonly kind: "duration" }
  | { readonly kind: "uuid" }
  | { readonly kind: "url" }
  | { readonly kind: "bytes" }
  | { readonly kind: "list"; readonly items?: ValueType }
  | { readonly kind: "record" }
  | { readonly kind: "unknown" }
  /** An opaque value that only its own schema understands. */
  | { readonly kind: "schema"; readonly schema: StandardSchema };

export type JsonTypeName = "string" | "number" | "integer" | "boolean" | "array" | "object";
