import type { Facets } from "./facets.ts";
import type { Interface } from "./define-interface.ts";
import type { Property } from "./property.ts";
import { definitionError } from "./slot-from.ts";

/** The type's own facets, with the gaps filled from its interfaces in declaration order. */
export function mergeFacets(own: Facets, name: string, interfaces: readonly Interface[]): Facets {
  let merged: Facets = own;
  for (const one of interfaces) {
    const declared = declaredIn(one, name);
    if (declared !== undefined) merged = { ...declared.facets, ...given(merged) };
  }
  return merged;
}

/** Attributes that interfaces declare for a property, beside its own. */
export function mergeAttributes(
  own: Property["attributes"],
  name: string,
  interfaces: readonly Interface[],
): Property["attributes"] {
  let merged = own;
  for (const one of interfaces) merged = { ...declaredIn(one, name)?.attributes, ...merged };
  return merged;
}

/** The first interface that knows the property decides its type where the definition says none. */
export function declaredType(name: string, interfaces: readonly Interface[]): Property | undefined {
  for (const one of interfaces) {
    const declared = declaredIn(one, name);
    if (declared !== undefined) return declared;
  }
  return undefined;
}

export function checkAgainst(own: Property, name: string, interfaces: readonly Interface[], where: string): void {
  for (const one of interfaces) {
    const declared = declaredIn(one, name);
    if (declared === undefined || declared.type.kind === own.type.kind) continue;
    if (declared.type.kind === "unknown" || own.type.kind === "schema" || declared.type.kind === "schema") continue;
    if (declared.type.kind === "number" && own.type.kind === "integer") continue;
    if (
      declared.type.kind === "string" &&
      own.type.kind !== "number" &&
      typeof own.type.kind === "string" &&
      isTextual(own)
    )
      continue;
    throw definitionError(where, `${name} is ${own.type.kind}, but ${one.name} says ${declared.type.kind}`);
  }
}

function isTextual({ type }: Property): boolean {
  return ["string", "enum", "uuid", "url", "date-time", "date", "time", "duration"].includes(type.kind);
}

function declaredIn(one: Interface, name: string): Property | undefined {
  return Object.hasOwn(one.props, name) ? one.props[name] : undefined;
}

/** Without facets that are there but undefined: those count as unset. */
function given(facets: Facets): Facets {
  return Object.fromEntries(Object.entries(facets).filter(([, value]) => value !== undefined));
}
