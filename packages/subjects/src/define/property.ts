import type { Facets } from "./facets.ts";
import type { ValueType } from "./value-type.ts";

declare const held: unique symbol;

/** A declared property. Immutable: each call returns a copy with one more thing said. */
export interface Property<T = unknown, W extends boolean = boolean> {
  readonly [held]?: { readonly value: T; readonly writable: W };
  readonly type: ValueType;
  readonly facets: Facets;
  readonly attributes: Readonly<Record<string, Property>>;
  readonly initial: unknown;
  /** Outsiders may write it. */
  writable(): Property<T, true>;
  nullable(): Property<T | null, W>;
  config(): Property<T, W>;
  diagnostic(): Property<T, W>;
  secret(): Property<T, W>;
  cumulative(): Property<T, W>;
  discrete(): Property<T, W>;
  estimated(): Property<T, W>;
  history(): Property<T, W>;
  hidden(): Property<T, W>;
  unit(id: string): Property<T, W>;
  position(n: number): Property<T, W>;
  title(text: string): Property<T, W>;
  description(text: string): Property<T, W>;
  maxAge(ms: number): Property<T, W>;
  /** The segment in printed paths: `path("temp")` for all, `path("mcp", "temp")` for one consumer, which is also the opt-in. */
  path(segment: string): Property<T, W>;
  path(consumer: string, segment: string): Property<T, W>;
  equals(same: (a: T, b: T) => boolean): Property<T, W>;
  /** The value of a subject that was created without one. */
  default(value: T): Property<T, W>;
  /** A live property of this property, found as `name@attribute`. */
  attribute(name: string, property: Property): Property<T, W>;
  facet(facets: Facets): Property<T, W>;
}

export type ValueOf<P> = P extends { readonly [held]?: { readonly value: infer T } } ? T : unknown;
export type IsWritable<P> = P extends { readonly [held]?: { readonly writable: infer W } } ? W : boolean;
