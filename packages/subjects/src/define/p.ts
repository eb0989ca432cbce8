import type { Facets } from "./facets.ts";
import { toProperty, type Property } from "./property.ts";
import type { OutputOf, StandardSchema } from "./standard-schema.ts";
import type { ValueType } from "./value-type.ts";

function make<T>(type: ValueType, facets: Facets = {}): Property<T, false> {
  return toProperty<T>({ type, facets, attributes: {}, initial: null });
}

/** Declares value properties: `p.number({ unit: "DegreeCelsius" }).writable()`. */
export const p = {
  number: (facets?: Facets) => make<number>({ kind: "number" }, facets),
  integer({ bits, ...facets }: Facets & { readonly bits?: number } = {}) {
    return make<number>(bits === undefined ? { kind: "integer" } : { kind: "integer", bits }, facets);
  },
  string: (facets?: Facets) => make<string>({ kind: "string" }, facets),
  boolean: (facets?: Facets) => make<boolean>({ kind: "boolean" }, facets),
  enum<const E extends readonly string[]>(members: E, facets?: Facets): Property<E[number], false> {
    return make<E[number]>({ kind: "enum", members }, { ...facets, enum: members });
  },
  dateTime: (facets?: Facets) => make<string>({ kind: "date-time" }, facets),
  date: (facets?: Facets) => make<string>({ kind: "date" }, facets),
  time: (facets?: Facets) => make<string>({ kind: "time" }, facets),
  duration: (facets?: Facets) => make<string>({ kind: "duration" }, facets),
  uuid: (facets?: Facets) => make<string>({ kind: "uuid" }, facets),
  url: (facets?: Facets) => make<string>({ kind: "url" }, facets),
  bytes: (facets?: Facets) => make<Uint8Array>({ kind: "bytes" }, facets),
  /** A list of plain values, replaced as a whole. Lists of subjects are `c.list`. */
  list<T = unknown>(items?: Property<T>, facets?: Facets): Property<readonly T[], false> {
    return make<readonly T[]>(items === undefined ? { kind: "list" } : { kind: "list", items: items.type }, facets);
  },
  record: (facets?: Facets) => make<Readonly<Record<string, unknown>>>({ kind: "record" }, facets),
  unknown: (facets?: Facets) => make<unknown>({ kind: "unknown" }, facets),
  /** Anything that a Standard Schema describes. */
  of<S extends StandardSchema>(schema: S, facets?: Facets): Property<OutputOf<S>, false> {
    return make<OutputOf<S>>({ kind: "schema", schema }, facets);
  },
};
