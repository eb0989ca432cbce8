import type { Caller, Log, Outcome, AskedEffect } from "@steading/kernel";
import type { StandardSchema, OutputOf } from "./standard-schema.ts";

/** Injected into every method; never one of its arguments. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly caller?: Caller;
  /** The door, for a method that reaches something outside the hub. Absent when nobody may. */
  readonly perform?: (effect: AskedEffect) => Promise<Outcome>;
  readonly services: ReadonlyMap<string, unknown>;
}

export type MethodKind = "query" | "operation";

export interface MethodSpec {
  readonly input?: StandardSchema;
  readonly output?: StandardSchema;
  readonly title?: string;
  readonly description?: string;
  readonly icon?: string;
  readonly position?: number;
  /** Dangerous: runs only with an approval. */
  readonly requiresConfirmation?: boolean;
  /** It only ever stops or switches off: nothing but missing rights holds it up, and it cannot send what is `live`. */
  readonly toward?: "safe";
  /** Default 30 000. */
  readonly timeoutMs?: number;
  /** Whether it may run at this moment; shows as the live attribute `isEnabled`. */
  readonly enabled?: (subject: never) => boolean;
  /** Units of the arguments by name, for listings. */
  readonly units?: Readonly<Record<string, string>>;
}

/**
 * A declared method is its own implementation; what else is known of it is kept beside it (see `methodDetails`).
 * A plain function type, because only then can the compiler work out `subject` from the definition around it.
 */
export type Method<S = never, A = never, R = unknown> = (subject: S, args: A, context: CallContext) => R;

export type ArgumentsOf<Spec> = Spec extends { readonly input: infer I } ? OutputOf<I> : Record<string, never>;
