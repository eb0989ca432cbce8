import type { Subject } from "../instance/subject.ts";
import type { Facets } from "./facets.ts";

export type ChildShape = "one" | "list" | "map";

declare const held: unique symbol;

/** A declared child property: a reference, an ordered list, or a map with string keys. */
export interface Child<Shape extends ChildShape = ChildShape, S extends Subject = Subject> {
  readonly [held]?: S;
  readonly shape: Shape;
  /** What may be put there; undefined lets any subject in. */
  readonly of: (() => { readonly name: string }) | undefined;
  /** Its keys are path segments of the owner itself. At most one per type. */
  readonly inline: boolean;
  readonly facets: Facets;
}

export type ChildValue<C> =
  C extends Child<infer Shape, infer S>
    ? Shape extends "one"
      ? S | null
      : Shape extends "list"
        ? readonly S[]
        : ReadonlyMap<string, S>
    : never;

export interface ChildOptions extends Facets {
  readonly inline?: boolean;
}
