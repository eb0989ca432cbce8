import type { Caller, Role } from "./caller.ts";
import type { Cancel } from "./clock.ts";
import type { PerformOptions } from "./door.ts";
import type { JsonObject } from "./json.ts";
import type { SteadingError } from "./steading-error.ts";
import type { EncodedAnswer, Tool } from "./tool.ts";

/** Which part of all tools a client looks at. */
export type View =
  | { readonly kind: "all" }
  | { readonly kind: "essential" }
  | { readonly kind: "toolset"; readonly name: string };

export interface CallRequest {
  readonly tool: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly view?: View;
  readonly signal?: AbortSignal;
  readonly onApproval?: PerformOptions["onApproval"];
  progress?(done: number, total?: number, message?: string): void;
}

export type CallResult =
  | {
      readonly kind: "answer";
      readonly structured: JsonObject;
      readonly text: string;
      /** The same two as JSON, where that exists already. */
      readonly encoded?: EncodedAnswer;
    }
  /** `text` is the contract's JSON for this error. */
  | { readonly kind: "error"; readonly error: SteadingError; readonly text: string }
  /** Absent, or hidden from this caller: the two cannot be told apart. */
  | { readonly kind: "unknown-tool" };

/** The one way to run a tool, for MCP, REST, CLI, console, automations and plan leaves. Never throws. */
export interface Dispatcher {
  /** In list order: toolset (essential first), then name. The same array until something changes. */
  tools(view: View, role: Role): readonly Tool[];
  hasToolset(name: string): boolean;
  /** Grows with every change to what `tools` returns. */
  readonly generation: number;
  onChange(listener: () => void): Cancel;
  call(request: CallRequest): Promise<CallResult>;
}
