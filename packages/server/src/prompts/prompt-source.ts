import type { GetPromptResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import type { Caller, Cancel, Role } from "@steading/kernel";

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface PromptInfo {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly minimumRole?: Role;
}

/** Ready-made openings of a conversation. */
export interface PromptSource {
  /** In name order. */
  list(): readonly PromptInfo[];
  /** Called with every required argument present. Undefined: there is no such prompt. */
  get(
    name: string,
    given: Readonly<Record<string, string>>,
    context: { readonly caller: Caller; readonly mcp: ServerContext },
  ): Promise<GetPromptResult | InputRequiredResult | undefined>;
  onListChanged?(listener: () => void): Cancel;
}

/** What a half-typed argument of a prompt or a resource template could become. */
export interface Completer {
  readonly of: { readonly prompt: string } | { readonly template: string };
  readonly argument: string;
  complete(asked: {
    readonly value: string;
    /** Arguments that were chosen before. */
    readonly chosen: Readonly<Record<string, string>>;
    readonly caller: Caller;
    readonly signal: AbortSignal;
  }): Promise<readonly string[]> | readonly string[];
}
