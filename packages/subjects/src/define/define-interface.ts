import type { Child } from "./child.ts";
import type { Method } from "./method.ts";
import type { Property } from "./property.ts";

export type Properties = Readonly<Record<string, Property>>;
export type Children = Readonly<Record<string, Child>>;

export interface InterfaceDefinition<P extends Properties = Properties, M = object> {
  readonly description?: string;
  readonly extends?: readonly Interface[];
  readonly props?: P;
  /** Signatures; an implementation belongs to the type. */
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

export declare function defineInterface<
  P extends Properties = Record<never, never>,
  M extends Readonly<Record<string, Method>> = Record<never, never>,
>(name: string, definition: InterfaceDefinition<P, M>): Interface<P, M>;
