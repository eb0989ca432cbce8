import type { ValueType } from "../define/value-type.ts";
import type { PropertyInfo } from "../info/subject-info.ts";
import type { ValueKind, ValueShape } from "./coerce-value.ts";

/** How values of a property are read from outside. */
export function shapeOfProperty({ valueType, facets }: PropertyInfo): ValueShape {
  const members = valueType?.kind === "enum" ? valueType.members : facets.enum;
  return {
    ...(members === undefined ? shapeOf(valueType) : { kind: "enum", enum: members }),
    nullable: facets.nullable === true,
  };
}

function shapeOf(type: ValueType | undefined): ValueShape {
  if (type?.kind === "enum") return { kind: "enum", enum: type.members };
  if (type?.kind === "list" && type.items !== undefined) return { kind: "array", items: shapeOf(type.items) };
  if (type?.kind === "integer" && type.bits !== undefined) return { kind: kindOf(type), bits: type.bits };
  return { kind: kindOf(type) };
}

function kindOf(type: ValueType | undefined): ValueKind {
  if (type === undefined) return "unknown";
  switch (type.kind) {
    case "list":
      return "array";
    case "record":
      return "object";
    case "schema":
      return "unknown";
    case "integer":
      return (type.bits ?? 0) > 53 ? "int64" : "integer";
    default:
      return type.kind;
  }
}
