import type { CompiledMethod, Slot } from "../instance/layout.ts";
import type { Interface } from "./define-interface.ts";
import { methodDetails, type MethodDetails } from "./m.ts";
import type { Method } from "./method.ts";
import { checkName, definitionError, derivedSlot } from "./slot-from.ts";

/** A trailing `Async` says how it is written, not what it does. */
export function methodName(name: string): string {
  return name.length > 5 && name.endsWith("Async") ? name.slice(0, -5) : name;
}

const UNDECLARED: MethodDetails = { kind: "operation", spec: {}, isImplemented: true };

/** A type's methods by name, each completed by what its interfaces declare about it. */
export function compileMethods(
  where: string,
  parts: readonly Readonly<Record<string, Method>>[],
  interfaces: readonly Interface[],
): ReadonlyMap<string, CompiledMethod> {
  const compiled = new Map<string, CompiledMethod>();
  for (const methods of parts) {
    for (const [given, run] of Object.entries(methods)) {
      const name = methodName(given);
      checkName(name, where);
      if (compiled.has(name)) throw definitionError(where, `two methods are called ${name}`);
      const details = completed(name, run, interfaces);
      if (details.spec.toward === "safe" && details.spec.requiresConfirmation === true)
        throw definitionError(where, `${name} leads towards safe, so it must not wait for a confirmation`);
      compiled.set(name, { name, run, details });
    }
  }
  for (const one of interfaces) {
    for (const given of Object.keys(one.methods)) {
      if (!compiled.has(methodName(given)))
        throw definitionError(where, `${methodName(given)} is missing, which ${one.name} asks for`);
    }
  }
  return compiled;
}

function completed(name: string, run: Method, interfaces: readonly Interface[]): MethodDetails {
  const own = methodDetails(run);
  const declared = declaredMethod(name, interfaces);
  if (declared === undefined) return own ?? UNDECLARED;
  return {
    kind: own?.kind ?? declared.kind,
    spec: { ...declared.spec, ...own?.spec },
    isImplemented: true,
  };
}

function declaredMethod(name: string, interfaces: readonly Interface[]): MethodDetails | undefined {
  for (const one of interfaces) {
    for (const [given, method] of Object.entries(one.methods) as [string, Method][]) {
      if (methodName(given) === name) return methodDetails(method) ?? UNDECLARED;
    }
  }
  return undefined;
}

/** `setTarget@isEnabled`, for each method that says when it may run. */
export function enabledSlots(methods: ReadonlyMap<string, CompiledMethod>): Slot[] {
  const slots: Slot[] = [];
  for (const { name, details } of methods.values()) {
    const enabled = details.spec.enabled;
    if (enabled === undefined) continue;
    // The definition that holds the method gives its own subject type to `enabled`.
    slots.push(derivedSlot(`${name}@isEnabled`, {}, (subject) => enabled(subject as never), { attributeOf: name }));
  }
  return slots;
}
