import type { ArgumentsOf, CallContext, Method, MethodKind, MethodSpec } from "./method.ts";

interface MethodBuilder {
  <S, Spec extends MethodSpec, R>(
    spec: Spec,
    run: (subject: S, args: ArgumentsOf<Spec>, context: CallContext) => R,
  ): Method<S, ArgumentsOf<Spec>, R>;
  /** Without implementation: a signature, for interfaces. */
  <Spec extends MethodSpec>(spec: Spec): Method<never, ArgumentsOf<Spec>>;
}

export interface MethodDetails {
  readonly kind: MethodKind;
  readonly spec: MethodSpec;
  /** False for a signature, as interfaces have them. */
  readonly isImplemented: boolean;
}

/** Beside the function rather than on it, so that the function given by the user stays as it is. */
const details = new WeakMap<object, MethodDetails>();

function builder(kind: MethodKind): MethodBuilder {
  const build = (spec: MethodSpec, run?: Method): Method => {
    // A copy, because one function may be given for two methods.
    const method: Method = (subject, args, context) => {
      if (run === undefined) throw new Error("This method is only a signature.");
      return run(subject, args, context);
    };
    details.set(method, { kind, spec, isImplemented: run !== undefined });
    return method;
  };
  return build as MethodBuilder; // subject and argument types exist only in the definition around it
}

/** Declares methods: `m.query` for what has no effect in the world, `m.operation` for everything else. */
export const m = { operation: builder("operation"), query: builder("query") };

/** What was declared about a method; undefined for a bare function. */
export function methodDetails(method: object): MethodDetails | undefined {
  return details.get(method);
}
