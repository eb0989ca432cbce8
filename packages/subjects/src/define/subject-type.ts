import type { Subject } from "../instance/subject.ts";
import type { Json, JsonObject } from "@steading/kernel";
import type { TypeDefinition } from "../info/providers.ts";
import type { Child, ChildValue } from "./child.ts";
import type { Children, Interface, Properties } from "./define-interface.ts";
import type { CallContext } from "./method.ts";
import type { IsWritable, ValueOf } from "./property.ts";

declare const made: unique symbol;

/** A concrete type: makes subjects. */
export interface SubjectType<S = unknown, Init = unknown> {
  readonly [made]?: S;
  readonly name: string;
  readonly definition: TypeDefinition;
  create(initial?: Init): S & Subject;
  /** For `class Hall extends Thermostat.class { … }`. */
  readonly class: new (initial?: Init) => S & Subject;
  is(value: unknown): value is S & Subject;
  /** JSON Schema of its properties and of the inputs of its methods. */
  jsonSchema(): { readonly properties: JsonObject; readonly methods: Readonly<Record<string, Json>> };
}

/** Any type, whatever its subjects are made from. */
export interface AnySubjectType {
  readonly [made]?: unknown;
  readonly name: string;
}

/** What the outside sees of a type's subjects: read-only where outsiders may not write. */
export type Infer<T> = T extends { readonly [made]?: infer S } ? NonNullable<S> & Subject : never;

/** The same subject for the code that owns it: everything but derived values may be assigned. */
export type Owned<S> = { -readonly [K in keyof S]: S[K] };

type WritableKeys<P> = { [K in keyof P]: IsWritable<P[K]> extends true ? K : never }[keyof P];
type ReadonlyKeys<P> = Exclude<keyof P, WritableKeys<P>>;

export type PropertyView<P> = { -readonly [K in WritableKeys<P>]: ValueOf<P[K]> } & {
  readonly [K in ReadonlyKeys<P>]: ValueOf<P[K]>;
};
export type ChildView<C> = { -readonly [K in keyof C]: ChildValue<C[K]> };
/** What owning code may assign: values and children. */
export type BaseView<P, C> = { -readonly [K in keyof P]: ValueOf<P[K]> } & ChildView<C>;

export type Initial<P, C> = { readonly [K in keyof P]?: ValueOf<P[K]> } & {
  readonly [K in keyof C]?: C[K] extends Child<infer Shape, infer S>
    ? Shape extends "one"
      ? S | null
      : Shape extends "list"
        ? readonly S[]
        : ReadonlyMap<string, S> | Readonly<Record<string, S>>
    : never;
};

/** Interface members that a definition lacks or has with another type. Never, when all is well. */
export type UnmetProps<I, P, D> = I extends readonly (infer One)[]
  ? One extends Interface<infer IP, object>
    ? UnmetIn<IP, P, D>
    : never
  : never;
type UnmetIn<IP, P, D> = {
  [K in keyof IP & string]: K extends keyof P
    ? ValueOf<P[K]> extends ValueOf<IP[K]> | null
      ? never
      : `${K} has another type than the interface says`
    : K extends keyof D
      ? D[K] extends ValueOf<IP[K]> | null
        ? never
        : `${K} has another type than the interface says`
      : `${K} is missing`;
}[keyof IP & string];
export type UnmetMethods<I, M> = I extends readonly (infer One)[]
  ? One extends Interface<Properties, infer IM>
    ? { [K in keyof IM & string]: K extends keyof M ? never : `${K} is missing` }[keyof IM & string]
    : never
  : never;

/** Implementations by name; `M` holds what they return. */
export type Methods<S, M> = {
  readonly [K in keyof M]: (subject: S & Loose, args: never, context: CallContext) => M[K];
};
/** Getters by name; `D` holds what they return. */
export type Derived<S, D> = { readonly [K in keyof D]: ((subject: S) => D[K]) | DerivedSpec<S, D[K]> };

/** A derived property that says more than its getter: a setter, a type with facets, or that it holds subjects. */
export interface DerivedSpec<S, R> {
  readonly get: (subject: S) => R;
  readonly set?: (subject: S, value: R) => void;
  readonly property?: Properties[string];
  readonly child?: "one" | "list" | "map";
}

export interface Mixin<P extends Properties = Properties, C extends Children = Children, D = object, M = object> {
  readonly mixin: true;
  readonly implements: readonly Interface[];
  readonly props: P;
  readonly children: C;
  readonly derived: D;
  readonly methods: M;
}

/** While the compiler is still inferring, a part that was left out shows as `never` and would swallow everything else. */
export type Known<T> = [T] extends [never] ? Record<never, never> : T;
export type SeenDerived<D> = [D] extends [never] ? unknown : Readonly<D>;
/**
 * A method made by `m.operation` is typed before the getters of the same definition are, unless something between the
 * two (such as `title`) asked for them. So derived values can be read there by name, as `unknown`.
 */
export type Loose = Readonly<Record<string, unknown>>;

type Merge<U> = (U extends unknown ? (u: U) => void : never) extends (i: infer I) => void ? I : never;
type Each<X> = [X] extends [never] ? never : X extends readonly (infer One)[] ? One : never;
type Pick1<U> = [U] extends [never] ? Record<never, never> : Merge<U>;
export type MixedProps<X> = Pick1<
  Each<X> extends infer One ? (One extends Mixin<infer P, Children, object, object> ? P : never) : never
>;
export type MixedChildren<X> = Pick1<
  Each<X> extends infer One ? (One extends Mixin<Properties, infer C, object, object> ? C : never) : never
>;
export type MixedDerived<X> = Pick1<
  Each<X> extends infer One ? (One extends Mixin<Properties, Children, infer D, object> ? D : never) : never
>;
export type MixedMethods<X> = Pick1<
  Each<X> extends infer One ? (One extends Mixin<Properties, Children, object, infer M> ? M : never) : never
>;
