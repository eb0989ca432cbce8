import type { ArgumentsOf, CallContext, Method, MethodKind, MethodSpec } from "./method.ts";
export interface MethodBuilder {
  <S, Spec extends MethodSpec, R>(
    spec: Spec,
    run: (subject: S, args: ArgumentsOf<Spec>, context: CallContext) => R,
  ): Method<S, ArgumentsOf<Spec>, R>;
}
export interface MethodBuilders {
  readonly operation: MethodBuilder;
  readonly query: MethodBuilder;
  /** A method without implementation, for interfaces. */
  signature(kind: MethodKind, spec?: MethodSpec): Method;
}
export declare const m: MethodBuilders;
