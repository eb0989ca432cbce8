import type {
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerContext,
  Tool as WireTool,
} from "@modelcontextprotocol/server";
import type { Caller, Json, Role } from "@steading/kernel";
import type { FanOut } from "../changes/fan-out.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import type { TaskView } from "../tasks/task-view.ts";

/** What such a tool has at hand besides its arguments. */
export interface NativeContext {
  readonly caller: Caller;
  readonly mcp: ServerContext;
  readonly server: Server;
  readonly tasks: TaskStore;
  readonly changes: Pick<FanOut, "prompts" | "resource" | "resources">;
  /** A definition reads differently from now on. */
  definitionsChanged(): void;
  /** Signs what a later round of the same call must bring back. */
  mint(state: Json): Promise<string>;
}

export type NativeResult = CallToolResult | InputRequiredResult | ({ resultType: "task" } & TaskView);

interface NativeDefinition {
  /** May be a getter; `definitionsChanged` tells that it gives something else. */
  readonly definition: WireTool;
  readonly minimumRole?: Role;
}

/** Answers at once, from its arguments alone. */
export interface PlainNativeTool extends NativeDefinition {
  readonly plain: true;
  call(input: Readonly<Record<string, unknown>>): CallToolResult;
}

/** May ask the client, say something before its result, or go on as a task. */
export interface AskingNativeTool extends NativeDefinition {
  readonly plain?: false;
  call(input: Readonly<Record<string, unknown>>, context: NativeContext): Promise<NativeResult> | NativeResult;
}

/**
 * A tool that speaks MCP itself: content blocks, questions to the client, tasks. For the referee's fixtures, and for
 * nothing that acts on the world: it bypasses the dispatcher and so has no door.
 */
export type NativeTool = PlainNativeTool | AskingNativeTool;
