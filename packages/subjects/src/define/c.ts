import type { Subject } from "../instance/subject.ts";
import type { Child, ChildOptions, ChildShape } from "./child.ts";
import type { AnySubjectType, Infer } from "./subject-type.ts";

interface OfShape<Shape extends ChildShape> {
  <T extends AnySubjectType>(of: () => T, options?: ChildOptions): Child<Shape, Infer<T>>;
  /** Any subject may be put there. */
  (of?: undefined, options?: ChildOptions): Child<Shape, Subject>;
}

function shaped<Shape extends ChildShape>(shape: Shape): OfShape<Shape> {
  return (of?: () => AnySubjectType, { inline = false, ...facets }: ChildOptions = {}) => ({
    shape,
    of,
    inline,
    facets,
  });
}

/** Declares child properties: `c.map(() => Zone)`, `c.one(() => Relay)`, `c.list(() => Pin)`. */
export const c = { one: shaped("one"), list: shaped("list"), map: shaped("map") };
