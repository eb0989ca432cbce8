import type { Children, Interface, Properties } from "./define-interface.ts";
import type { BaseView, Derived, Loose, Methods, Mixin } from "./subject-type.ts";
import type { Subject } from "../instance/subject.ts";

type Own<P, C> = BaseView<P, C> & Subject;

/** Properties and methods that several types have in common: battery, connectivity, device information. */
export function mixin<
  P extends Properties = Record<never, never>,
  C extends Children = Record<never, never>,
  D = Record<never, never>,
  M = Record<never, never>,
>(definition: {
  readonly implements?: readonly Interface[];
  readonly props?: P;
  readonly children?: C;
  readonly derived?: Derived<Own<P, C>, D>;
  readonly methods?: Methods<Own<P, C> & Loose, M>;
}): Mixin<P, C, D & object, M & object> {
  // The parts left out are empty records, which is what their parameters then say.
  return { mixin: true, ...definition } as unknown as Mixin<P, C, D & object, M & object>;
}
