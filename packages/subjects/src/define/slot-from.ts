import { emptyChildren } from "../instance/child-value.ts";
import type { Slot } from "../instance/layout.ts";
import { subjectError } from "../subject-error.ts";
import { checkFor } from "./check-value.ts";
import type { Child } from "./child.ts";
import type { Facets } from "./facets.ts";
import type { Property } from "./property.ts";
import { checkUnit } from "./units.ts";

const MAX_NAME_CHARS = 200;

export function checkName(name: string, where: string): void {
  if (name.length === 0 || name.length > MAX_NAME_CHARS)
    throw definitionError(where, `a name has 1 to ${MAX_NAME_CHARS} characters`);
  if (name.startsWith("$"))
    throw definitionError(where, `the name ${name} starts with $, which is kept for what belongs to every subject`);
  if (name.includes("@")) throw definitionError(where, `the name ${name} contains @, which leads to attributes`);
}

export function checkFacets(facets: Facets, where: string): void {
  if (facets.unit !== undefined) checkUnit(facets.unit, where);
  if (facets.secret === true && (facets.role ?? "state") === "state")
    throw definitionError(where, "a secret cannot be state; give it the role config or diagnostic");
  const segments = typeof facets.path === "string" ? [facets.path] : Object.values(facets.path ?? {});
  for (const segment of segments) {
    if (segment.length === 0 || segment.startsWith("$") || segment.includes("@"))
      throw definitionError(where, `the path segment ${JSON.stringify(segment)} is empty, starts with $ or contains @`);
  }
  if (facets.min !== undefined && facets.max !== undefined && facets.min > facets.max)
    throw definitionError(where, "min is above max");
  if (facets.step !== undefined && !(facets.step > 0)) throw definitionError(where, "step must be above 0");
}

export function definitionError(where: string, what: string): Error {
  return subjectError("DEFINITION_ERROR", `${where}: ${what}.`);
}

interface SlotExtras {
  readonly attributeOf?: string;
  readonly dynamic?: boolean;
  readonly get?: Slot["get"];
  readonly set?: Slot["set"];
}

export function valueSlot(name: string, property: Property, facets: Facets, extras: SlotExtras = {}): Slot {
  const initial = property.initial ?? null;
  return {
    name,
    kind: extras.get === undefined ? "value" : "derived",
    shape: undefined,
    type: property.type,
    check: checkFor(property.type),
    facets,
    inline: false,
    of: undefined,
    attributeOf: extras.attributeOf,
    get: extras.get,
    set: extras.set,
    initial: extras.get === undefined ? initial : null,
    dynamic: extras.dynamic ?? false,
  };
}

export function childSlot(name: string, child: Child): Slot {
  return {
    name,
    kind: child.shape,
    shape: child.shape,
    type: undefined,
    check: () => true,
    facets: child.facets,
    inline: child.inline,
    of: child.of,
    attributeOf: undefined,
    get: undefined,
    set: undefined,
    initial: emptyChildren(child.shape),
    dynamic: false,
  };
}

export function derivedSlot(
  name: string,
  facets: Facets,
  get: NonNullable<Slot["get"]>,
  rest: {
    readonly set?: Slot["set"];
    readonly shape?: Slot["shape"];
    readonly attributeOf?: string;
    readonly dynamic?: boolean;
  } = {},
): Slot {
  return {
    name,
    kind: "derived",
    shape: rest.shape,
    type: undefined,
    check: () => true,
    facets,
    inline: false,
    of: undefined,
    attributeOf: rest.attributeOf,
    get,
    set: rest.set,
    initial: emptyChildren(rest.shape),
    dynamic: rest.dynamic ?? false,
  };
}
