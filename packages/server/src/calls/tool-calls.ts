import { ProtocolError, ProtocolErrorCode, type CallToolResult } from "@modelcontextprotocol/server";
import {
  type Caller,
  type Cancel,
  type Clock,
  type Dispatcher,
  type Duration,
  type SteadingError,
} from "@steading/kernel";
import type { Window } from "../http/route.ts";
import type { CallSeats, Seats } from "../limits/call-seats.ts";
import type { Limits } from "../limits/limits.ts";
import type { ToolList, ToolPages } from "../lists/tool-pages.ts";
import type { NativeContext, NativeResult } from "../native/native-tool.ts";
import type { NativeTools } from "../native/native-tools.ts";
import { projectResult } from "../native/project-result.ts";
import { shellError } from "../shell-errors.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import type { FitResult } from "./fit-result.ts";

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly window: Window;
  readonly era: "modern" | "legacy";
  readonly signal: AbortSignal;
  /** The client takes a task instead of a result. */
  readonly takesTask: boolean;
  /** Places reserved when the request arrived; absent on lines, which have no request around a call. */
  readonly seats: Seats | undefined;
  /** What the caller sees, where it was looked up already. */
  readonly listed?: ToolList;
  progress?(done: number, total?: number, message?: string): void;
  /** What a tool that speaks MCP itself gets. */
  native(): Omit<NativeContext, "tasks" | "changes" | "definitionsChanged" | "mint" | "caller">;
}

/** A call whose tool is known by its real name. */
interface Asked {
  readonly call: ToolCall;
  readonly name: string;
  readonly declaresOutput: boolean;
  /** It changes something outside, so what became of it matters after a restart too. */
  readonly acts: boolean;
}

export interface ToolCalls {
  /** Throws ProtocolError for an unknown tool, a lack of seats or of a capability; everything else is a result. */
  run(call: ToolCall): Promise<NativeResult>;
}

/** The wire's side of the dispatcher: the same for every era and transport, so that their answers are equal. */
export function createToolCalls({
  dispatcher,
  pages,
  natives,
  nativeExtras,
  tasks,
  seats: allSeats,
  fit,
  clock,
  limits,
}: {
  readonly dispatcher: Dispatcher;
  readonly pages: ToolPages;
  readonly natives: NativeTools;
  nativeExtras(call: ToolCall): Pick<NativeContext, "tasks" | "changes" | "definitionsChanged" | "mint">;
  readonly tasks: TaskStore;
  readonly seats: CallSeats;
  readonly fit: FitResult;
  readonly clock: Clock;
  readonly limits: Pick<Limits, "longestCall">;
}): ToolCalls {
  async function run(call: ToolCall): Promise<NativeResult> {
    const { caller, window } = call;
    const list = call.listed ?? pages.listFor(caller, window);
    const name = window.names === "safe" ? list.names.fromSafe(call.name) : call.name;
    const native = window.view.kind === "all" ? natives.find(name, caller) : undefined;
    if (native !== undefined) {
      const result = await natives.run(native, call.arguments, () => ({
        ...call.native(),
        ...nativeExtras(call),
        caller,
      }));
      if (!isPlainResult(result)) return result;
      const projected = projectResult(result, call.era);
      return fit(projected, caller.principal, native.definition.outputSchema !== undefined);
    }
    const tool = list.tools.get(name);
    const asked: Asked = {
      call,
      name,
      declaresOutput: tool?.outputSchema !== undefined,
      acts: tool?.intent === "MUTATE",
    };
    if (tool?.deadline === undefined || tool.deadline <= limits.longestCall) return dispatch(asked, call.signal);
    return call.takesTask ? asTask(asked) : within(asked, limits.longestCall);
  }

  async function dispatch({ call, name, declaresOutput }: Asked, signal: AbortSignal): Promise<CallToolResult> {
    const { caller, window, progress } = call;
    const result = await dispatcher.call({
      tool: name,
      arguments: call.arguments ?? {},
      caller,
      view: window.view,
      signal,
      ...(progress === undefined ? {} : { progress }),
    });
    switch (result.kind) {
      case "answer":
        return fit(
          { content: [{ type: "text", text: result.text }], structuredContent: result.structured },
          caller.principal,
          declaresOutput,
        );
      case "error":
        // Several clients hide the text as soon as there is structured content.
        return { content: [{ type: "text", text: result.text }], isError: true };
      case "unknown-tool":
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${call.name}`);
    }
  }

  async function asTask(asked: Asked): Promise<NativeResult> {
    const { principal } = asked.call.caller;
    const task = await tasks.create({ principal, durable: asked.acts, run: ({ signal }) => dispatch(asked, signal) });
    if (task === undefined) return failed(shellError("TOO_MANY_TASKS", "Too many tasks are kept already."));
    return { resultType: "task", ...task };
  }

  async function within(asked: Asked, longest: Duration): Promise<CallToolResult> {
    const aborter = new AbortController();
    const tooLong = failed(shellError("CALL_TOO_LONG", `The call was ended after ${longest / 1_000} seconds.`));
    let cancel: Cancel = () => {};
    const ended = new Promise<CallToolResult>((resolve) => {
      cancel = clock.timer(longest, () => {
        aborter.abort(new Error("The call took too long"));
        resolve(tooLong);
      });
    });
    try {
      return await Promise.race([dispatch(asked, AbortSignal.any([asked.call.signal, aborter.signal])), ended]);
    } finally {
      cancel();
    }
  }

  return {
    async run(call) {
      const release = call.seats?.claim() ?? allSeats.take(call.caller.principal);
      if (release === undefined)
        throw new ProtocolError(ProtocolErrorCode.InternalError, "Too many calls are running; try again later");
      try {
        return await run(call);
      } finally {
        release();
      }
    },
  };
}

function isPlainResult(result: NativeResult): result is CallToolResult {
  return !("resultType" in result) || result.resultType === "complete";
}

function failed(error: SteadingError): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(error.toJson()) }], isError: true };
}
