import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import type { Layout, Slot } from "../instance/layout.ts";
import { jsonFace } from "./json-face.ts";
import type { StandardSchema } from "./standard-schema.ts";
import type { ValueType } from "./value-type.ts";

/** JSON Schema of a type's own values. Children are subjects and have their own. */
export function propertiesSchema(layout: Layout): JsonObject {
  const properties: Record<string, Json> = {};
  for (const i of layout.listed) {
    const slot = layout.slot(i);
    if (slot.shape !== undefined || slot.facets.secret === true) continue;
    // Not by assignment: a property may be called __proto__.
    Object.defineProperty(properties, slot.name, { value: slotSchema(slot), enumerable: true });
  }
  return { type: "object", title: layout.type.name, properties };
}

export function methodSchemas(layout: Layout): Readonly<Record<string, Json>> {
  const schemas: Record<string, Json> = {};
  for (const { name, details } of layout.type.methods.values()) {
    const schema = details.spec.input === undefined ? undefined : describeSchema(details.spec.input, "input");
    Object.defineProperty(schemas, name, { value: schema ?? { type: "object", properties: {} }, enumerable: true });
  }
  return schemas;
}

function slotSchema({ type, facets, get, set }: Slot): JsonObject {
  const base = typeSchema(type);
  const nullable = facets.nullable === true && typeof base["type"] === "string" ? { type: [base["type"], "null"] } : {};
  return {
    ...base,
    ...nullable,
    ...(facets.title === undefined ? {} : { title: facets.title }),
    ...(facets.description === undefined ? {} : { description: facets.description }),
    ...(facets.min === undefined ? {} : { minimum: facets.min }),
    ...(facets.max === undefined ? {} : { maximum: facets.max }),
    ...(facets.step === undefined ? {} : { multipleOf: facets.step }),
    ...(facets.unit === undefined ? {} : { unit: facets.unit }),
    ...(facets.writable === true && (get === undefined || set !== undefined) ? {} : { readOnly: true }),
  };
}

export function typeSchema(type: ValueType | undefined): JsonObject {
  switch (type?.kind) {
    case undefined:
    case "unknown":
      return {};
    case "enum":
      return { type: "string", enum: type.members };
    case "list":
      return type.items === undefined ? { type: "array" } : { type: "array", items: typeSchema(type.items) };
    case "schema":
      return describeSchema(type.schema, "output") ?? {};
    default: {
      const { type: name, format } = jsonFace(type);
      return { type: name, ...(format === undefined ? {} : { format }) };
    }
  }
}

/** The schema in its own words, from a library that can say them. */
export function describeSchema(schema: StandardSchema, side: "input" | "output"): JsonObject | undefined {
  try {
    const made: unknown = schema["~standard"].jsonSchema?.[side]({ target: "draft-2020-12" });
    // What a library prints as JSON Schema is JSON.
    return isJsonObject(made) ? (JSON.parse(JSON.stringify(made)) as JsonObject) : undefined;
  } catch {
    return undefined; // a type without a JSON form
  }
}
