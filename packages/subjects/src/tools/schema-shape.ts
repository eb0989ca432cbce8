import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import type { ValueKind, ValueShape } from "./coerce-value.ts";

const BY_FORMAT: Readonly<Record<string, ValueKind>> = {
  "date-time": "date-time",
  date: "date",
  time: "time",
  duration: "duration",
  uuid: "uuid",
  uri: "url",
};
const BY_TYPE: Readonly<Record<string, ValueKind>> = {
  number: "number",
  integer: "integer",
  boolean: "boolean",
  array: "array",
  object: "object",
  string: "string",
};

/** The type name that answers show for a JSON Schema: the one type besides null, else `object`. */
export function typeNameOf(schema: Json | undefined): string {
  const types = typesOf(schema);
  return types.length === 1 ? (types[0] ?? "object") : "object";
}

/** How values of this JSON Schema are read from outside. A schema that allows several types is read as it comes. */
export function shapeOfSchema(schema: Json | undefined): ValueShape {
  const alternatives = alternativesOf(schema);
  const nullable = alternatives.some((one) => rawTypes(one).includes("null"));
  const types = typesOf(schema);
  const [type] = types;
  if (types.length !== 1 || type === undefined) return { kind: "unknown", nullable: true };
  const main = alternatives.find((one) => rawTypes(one).includes(type)) ?? {};
  const members = main["enum"];
  if (type === "string" && Array.isArray(members))
    return { kind: "enum", enum: members.filter((member): member is string => typeof member === "string"), nullable };
  const format = main["format"];
  const kind = type === "string" && typeof format === "string" ? (BY_FORMAT[format] ?? "string") : BY_TYPE[type];
  return { kind: kind ?? "unknown", nullable };
}

function typesOf(schema: Json | undefined): string[] {
  return [...new Set(alternativesOf(schema).flatMap(rawTypes))].filter((type) => type !== "null");
}

function alternativesOf(schema: Json | undefined): JsonObject[] {
  if (!isJsonObject(schema)) return [];
  const several = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(several) ? several.flatMap(alternativesOf) : [schema];
}

function rawTypes(schema: JsonObject): string[] {
  const type = schema["type"];
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((one): one is string => typeof one === "string");
  const constant = schema["const"];
  return constant === undefined
    ? []
    : [constant === null ? "null" : Array.isArray(constant) ? "array" : typeof constant];
}
