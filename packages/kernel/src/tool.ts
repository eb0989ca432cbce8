import type * as z from "zod";
import type { Caller, Role } from "./caller.ts";
import type { Duration } from "./duration.ts";
import type { Confirm, Effect, Outcome } from "./effect.ts";
import type { JsonObject } from "./json.ts";

/** What a handler still has to say about an effect; who asks, with which key and approval, the dispatcher knows. */
export type AskedEffect = Omit<Effect, "tool" | "caller" | "key" | "approval" | "minimumRole" | "confirm"> & {
  /** Stricter than the tool's own, never looser: a single dangerous method behind a general tool. */
  readonly minimumRole?: Role;
  readonly confirm?: Confirm;
};

export interface ToolContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Tells a patient caller how far we are. Cheap to call; the shell thins it out. */
  progress(done: number, total?: number, message?: string): void;
  /** The door. The only way for a tool to change anything outside the hub. */
  perform(effect: AskedEffect): Promise<Outcome>;
  /** The caller's own name for this call, for tools that change coordination state without the door. */
  readonly idempotencyKey?: string;
  /** The approval that the caller brought along, for tools that call another one. */
  readonly approval?: string;
}

export interface ToolSpec<I extends z.ZodObject, O extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  /** One or two sentences for models and people. A function when it speaks of live things. */
  readonly summary: string | (() => string);
  readonly input: I;
  readonly output?: O;
  readonly intent: "READ_ONLY" | "MUTATE";
  readonly confirm?: Confirm;
  /** The least role that sees and calls it. */
  readonly minimumRole: Role;
  readonly unknownKeys?: "reject" | "ignore";
  readonly annotations?: ToolAnnotations;
  /** Also on `/mcp/essential`. */
  readonly essential?: boolean;
  /** Takes an `approval` although most of its calls need none: a general tool with some dangerous targets. */
  readonly acceptsApproval?: boolean;
  /** How long a call may take. The dispatcher's default where the tool says nothing. */
  readonly deadline?: Duration;
  /** Does a call with this input make things safe: an OFF, a stop? Limits on how much one caller asks do not stop it. */
  urgent?(input: z.infer<I>): boolean;
  /** What a known key with other arguments means; see `Effect.sameKey`. */
  readonly sameKey?: Effect["sameKey"];
  /** How long a key is remembered; see `Effect.keyTtl`. */
  readonly keyTtl?: Duration;
  /** The text block, where it is not simply the JSON of the answer. */
  text?(answer: z.infer<O>): string;
  /** Where the JSON of an answer exists already: exactly what JSON.stringify would make of it and of its text. */
  encoded?(answer: z.infer<O>): EncodedAnswer | undefined;
  handler(input: z.infer<I>, context: ToolContext): Promise<z.infer<O>> | z.infer<O>;
}

/** An answer as JSON, made before it was asked for. Spares the shell the longest part of a long answer. */
export interface EncodedAnswer {
  readonly structured: string;
  /** A JSON string, with its quotes. */
  readonly text: string;
}

export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What a caller may add to any MUTATE tool. The dispatcher takes these off before the handler sees its input. */
export interface CallExtras {
  readonly idempotencyKey?: string;
  readonly approval?: string;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly intent: "READ_ONLY" | "MUTATE";
  readonly confirm: Confirm;
  readonly minimumRole: Role;
  readonly essential: boolean;
  readonly annotations: ToolAnnotations;
  /** Made once. */
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | undefined;
  description(): string;
  /** Validates. Throws INVALID_ARGUMENTS that lists every problem and the nearest valid field name. */
  parse(raw: unknown): { readonly input: unknown; readonly extras: CallExtras };
  /** Does a call with these arguments make things safe? Looks only; what would not pass `parse` is not urgent. */
  isUrgent?(raw: unknown): boolean;
  run(input: unknown, context: ToolContext): Promise<JsonObject>;
  text(answer: JsonObject): string;
  encoded?(answer: JsonObject): EncodedAnswer | undefined;
  readonly deadline?: Duration;
  readonly sameKey?: Effect["sameKey"];
  readonly keyTtl?: Duration;
  /** Where an answer differs from the output schema, in words; empty when it fits. */
  answerProblems?(answer: JsonObject): readonly string[];
}

export const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
