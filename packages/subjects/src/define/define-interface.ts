import type { Child } from "./child.ts";
import type { Method } from "./method.ts";
import type { Property } from "./property.ts";
import { checkFacets, checkName, definitionError } from "./slot-from.ts";

export type Properties = Readonly<Record<string, Property>>;
export type Children = Readonly<Record<string, Child>>;

export interface InterfaceDefinition<P, M> {
  readonly description?: string;
  readonly extends?: readonly Interface[];
  readonly props?: P;
  /** Signatures (`m.operation({ … })` without a function); the implementation belongs to the type. */
  readonly methods?: M;
}

/** A named capability. */
export interface Interface<P extends Properties = Properties, M = object> {
  readonly interface: true;
  readonly name: string;
  readonly description: string | undefined;
  readonly extends: readonly Interface[];
  readonly props: P;
  readonly methods: M;
}

export function defineInterface<
  P extends Properties = Record<never, never>,
  M extends Readonly<Record<string, Method>> = Record<never, never>,
>(name: string, definition: InterfaceDefinition<P, M> = {}): Interface<P, M> {
  checkTypeName(name);
  // With nothing given the parameters are empty records, so an empty object is what they promise.
  const props = definition.props ?? ({} as P);
  const methods = definition.methods ?? ({} as M);
  for (const [property, declared] of Object.entries(props)) {
    checkName(property, name);
    checkFacets(declared.facets, `${name}.${property}`);
  }
  return {
    interface: true,
    name,
    description: definition.description,
    extends: definition.extends ?? [],
    props,
    methods,
  };
}

/** Full and dotted, so that two plugins never mean different things by one name. */
export function checkTypeName(name: string): void {
  if (/^[^\s.]+(?:\.[^\s.]+)+$/.test(name) && name.length <= 200) return;
  throw definitionError(JSON.stringify(name), "a type's name is full and dotted, such as acme.heating.Zone");
}

/** The interfaces and everything they extend, each once, in declaration order. */
export function withAncestors(interfaces: readonly Interface[]): readonly Interface[] {
  const found = new Map<string, Interface>();
  const visit = (one: Interface): void => {
    const known = found.get(one.name);
    if (known !== undefined) {
      if (known !== one) throw definitionError(one.name, "two different interfaces have this name");
      return;
    }
    found.set(one.name, one);
    one.extends.forEach(visit);
  };
  interfaces.forEach(visit);
  return [...found.values()];
}
