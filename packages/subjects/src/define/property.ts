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
  /** A source's value older than this is stale. */
  maxAge(ms: number): Property<T, W>;
  /**
   * The segment in printed paths: `path("temp")` for all, `path("mcp", "temp")` for one consumer. The second form is
   * also the opt-in that `explicit("mcp")` looks for.
   */
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

/** What a property is made of; `toProperty` gives it its chain of calls. */
export interface PropertyParts {
  readonly type: ValueType;
  readonly facets: Facets;
  readonly attributes: Readonly<Record<string, Property>>;
  readonly initial: unknown;
}

class Declared {
  readonly type: ValueType;
  readonly facets: Facets;
  readonly attributes: Readonly<Record<string, Property>>;
  readonly initial: unknown;

  constructor(parts: PropertyParts) {
    this.type = parts.type;
    this.facets = parts.facets;
    this.attributes = parts.attributes;
    this.initial = parts.initial;
  }

  #with(changed: Partial<PropertyParts>): Declared {
    const { type, facets, attributes, initial } = this;
    return new Declared({ type, facets, attributes, initial, ...changed });
  }
  facet(facets: Facets): Declared {
    return this.#with({ facets: { ...this.facets, ...facets } });
  }
  writable(): Declared {
    return this.facet({ writable: true });
  }
  nullable(): Declared {
    return this.facet({ nullable: true });
  }
  config(): Declared {
    return this.facet({ role: "config" });
  }
  diagnostic(): Declared {
    return this.facet({ role: "diagnostic" });
  }
  secret(): Declared {
    return this.facet({ secret: true });
  }
  cumulative(): Declared {
    return this.facet({ cumulative: true });
  }
  discrete(): Declared {
    return this.facet({ discrete: true });
  }
  estimated(): Declared {
    return this.facet({ estimated: true });
  }
  history(): Declared {
    return this.facet({ history: true });
  }
  hidden(): Declared {
    return this.facet({ exposed: false });
  }
  unit(id: string): Declared {
    return this.facet({ unit: id });
  }
  position(n: number): Declared {
    return this.facet({ position: n });
  }
  title(text: string): Declared {
    return this.facet({ title: text });
  }
  description(text: string): Declared {
    return this.facet({ description: text });
  }
  maxAge(ms: number): Declared {
    return this.facet({ maxAgeMs: ms });
  }
  path(first: string, segment?: string): Declared {
    if (segment === undefined) return this.facet({ path: first });
    const before = this.facets.path;
    const others = typeof before === "object" ? before : {};
    return this.facet({ path: { ...others, [first]: segment } });
  }
  equals(same: (a: never, b: never) => boolean): Declared {
    return this.facet({ equals: same });
  }
  default(value: unknown): Declared {
    return this.#with({ initial: value });
  }
  attribute(name: string, property: Property): Declared {
    return this.#with({ attributes: { ...this.attributes, [name]: property } });
  }
}

export function toProperty<T, W extends boolean = false>(parts: PropertyParts): Property<T, W> {
  // What a property holds exists for the compiler only; the calls are the same for all of them.
  return new Declared(parts) as unknown as Property<T, W>;
}
