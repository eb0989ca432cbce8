import type { Facets } from "./facets.ts";
import type { Property } from "./property.ts";
import type { OutputOf, StandardSchema } from "./standard-schema.ts";

export interface PropertyBuilders {
  number(facets?: Facets): Property<number, false>;
  integer(facets?: Facets & { readonly bits?: number }): Property<number, false>;
  string(facets?: Facets): Property<string, false>;
  boolean(facets?: Facets): Property<boolean, false>;
  enum<const E extends readonly string[]>(members: E, facets?: Facets): Property<E[number], false>;
  dateTime(facets?: Facets): Property<string, false>;
  date(facets?: Facets): Property<string, false>;
  time(facets?: Facets): Property<string, false>;
  duration(facets?: Facets): Property<string, false>;
  uuid(facets?: Facets): Property<string, false>;
  url(facets?: Facets): Property<string, false>;
  bytes(facets?: Facets): Property<Uint8Array, false>;
  list<T>(items?: Property<T>, facets?: Facets): Property<readonly T[], false>;
  record(facets?: Facets): Property<Readonly<Record<string, unknown>>, false>;
  unknown(facets?: Facets): Property<unknown, false>;
  of<S extends StandardSchema>(schema: S, facets?: Facets): Property<OutputOf<S>, false>;
}
export declare const p: PropertyBuilders;
