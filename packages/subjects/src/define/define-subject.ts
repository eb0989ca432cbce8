import type { Subject } from "../instance/subject.ts";
import type { Definition } from "./compile-type.ts";
import type { Children, Interface, Properties } from "./define-interface.ts";
import type {
  BaseView,
  ChildView,
  Derived,
  Initial,
  Known,
  Methods,
  MixedChildren,
  MixedDerived,
  MixedMethods,
  MixedProps,
  Mixin,
  PropertyView,
  SeenDerived,
  SubjectType,
  UnmetMethods,
  UnmetProps,
} from "./subject-type.ts";
import { subjectType } from "./make-subject-type.ts";

/** What derived getters see: values and children, assignable, and everything that a subject has. */
type Own<P, C, X> = BaseView<Known<P> & MixedProps<X>, Known<C> & MixedChildren<X>> & Subject;
/** What methods, titles and hooks see: derived values as well. */
type Full<P, C, D, X> = Own<P, C, X> & SeenDerived<D> & Readonly<MixedDerived<X>>;

/** Nothing to add when every interface member is there; otherwise the sentence that the compiler then shows. */
type Met<Error> = [Error] extends [never] ? unknown : { readonly error: Error };

export interface SubjectDefinition<
  P extends Properties,
  C extends Children,
  D,
  M,
  X extends readonly Mixin[],
  I extends readonly Interface[],
> {
  readonly description?: string;
  readonly implements?: I;
  readonly mixins?: X;
  readonly props?: P;
  readonly children?: C;
  readonly derived?: Derived<Own<P, C, X>, D>;
  readonly methods?: Methods<Full<P, C, D, X>, M>;
  readonly title?: string | ((subject: Full<P, C, D, X>) => string | undefined);
  readonly icon?: string | ((subject: Full<P, C, D, X>) => string | undefined);
  readonly iconColor?: string | ((subject: Full<P, C, D, X>) => string | undefined);
  /** Runs when a subject has become part of a graph; every ancestor is known by then. */
  readonly onAttach?: (subject: Full<P, C, D, X>) => void;
  /** Runs deepest first, before a departing subject is taken out. */
  readonly onDetach?: (subject: Full<P, C, D, X>) => void;
  /** Throws, or returns a sentence, when values do not fit together. Sees the state as it would be. */
  readonly validate?: (state: Readonly<BaseView<P, C>>) => string | undefined | void;
}

type Made<P, C, D, X> = SubjectType<
  PropertyView<P & MixedProps<X>> & ChildView<C & MixedChildren<X>> & Readonly<D> & Readonly<MixedDerived<X>>,
  Initial<P & MixedProps<X>, C & MixedChildren<X>>
>;

type Checked<Error, Type> = [Error] extends [never] ? Type : { readonly error: Error };

interface DefineSubject {
  /** With derived properties. What they return is known last, so an unmet interface shows where the type is used. */
  <
    P extends Properties = Record<never, never>,
    C extends Children = Record<never, never>,
    const X extends readonly Mixin[] = [],
    const I extends readonly Interface[] = [],
    D = Record<never, never>,
    M = Record<never, never>,
  >(
    name: string,
    definition: SubjectDefinition<P, C, D, M, X, I> & { readonly derived: Derived<Own<P, C, X>, D> },
  ): Checked<
    UnmetProps<I, P & MixedProps<X>, D & MixedDerived<X>> | UnmetMethods<I, M & MixedMethods<X>>,
    Made<P, C, D, X>
  >;
  <
    P extends Properties = Record<never, never>,
    C extends Children = Record<never, never>,
    const X extends readonly Mixin[] = [],
    const I extends readonly Interface[] = [],
    M = Record<never, never>,
  >(
    name: string,
    definition: SubjectDefinition<P, C, Record<never, never>, M, X, I> & {
      readonly derived?: undefined;
      readonly implements?: I & Met<UnmetProps<I, P & MixedProps<X>, MixedDerived<X>>>;
    },
  ): Checked<UnmetMethods<I, M & MixedMethods<X>>, Made<P, C, Record<never, never>, X>>;
}

/**
 * Makes a concrete type. The same call serves hand-written definitions and those made from data at run time: equal
 * structures under one name are one type, however often they are defined.
 */
// The generic face above is for authors; underneath, a definition is data.
export const defineSubject = ((name: string, definition: Definition) =>
  subjectType(name, definition)) as unknown as DefineSubject;
