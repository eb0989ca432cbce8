import { ProtocolError, ProtocolErrorCode, type CallToolResult } from "@modelcontextprotocol/server";
import {
  seconds,
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
import type { ToolPages } from "../lists/tool-pages.ts";
import type { NativeContext, NativeResult } from "../native/native-tool.ts";
import type { NativeTools } from "../native/native-tools.ts";
import { shellError } from "../shell-errors.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { hasMoreElementsThan } from "./argument-size.ts";
import type { FitResult } from "./fit-result.ts";

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly window: Window;
  readonly signal: AbortSignal;
  /** The client takes a task instead of a result. */
  readonly takesTask: boolean;
  /** Places reserved when the request arrived; absent on lines, which have no request around a call. */
  readonly seats: Seats | undefined;
  progress?(done: number, total?: number, message?: string): void;
  /** What a tool that speaks MCP itself gets. */
  native(): Omit<NativeContext, "tasks" | "changes" | "definitionsChanged" | "mint" | "caller">;
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
  readonly limits: Pick<Limits, "argumentElements" | "longestCall">;
}): ToolCalls {
  async function run(call: ToolCall): Promise<NativeResult> {
    const { caller, window } = call;
    const list = pages.listFor(caller, window);
    const name = window.names === "safe" ? list.names.fromSafe(call.name) : call.name;
    if (hasMoreElementsThan(limits.argumentElements, call.arguments)) {
      return failed(
        shellError("ARGUMENTS_TOO_LARGE", `The arguments hold more than ${limits.argumentElements} items and keys.`),
      );
    }
    const native = window.view.kind === "all" ? natives.find(name, caller) : undefined;
    if (native !== undefined) {
      const result = await natives.run(native, call.arguments, () => ({
        ...call.native(),
        ...nativeExtras(call),
        caller,
      }));
      return isPlainResult(result)
        ? fit(result, caller.principal, native.definition.outputSchema !== undefined)
        : result;
    }
    const deadline = list.tools.get(name)?.deadline ?? seconds(0);
    if (deadline <= limits.longestCall) return dispatch(call, name, call.signal);
    return call.takesTask ? asTask(call, name) : within(call, name, limits.longestCall);
  }

  async function dispatch(call: ToolCall, tool: string, signal: AbortSignal): Promise<CallToolResult> {
    const { caller, window, progress } = call;
    const result = await dispatcher.call({
      tool,
      arguments: call.arguments ?? {},
      caller,
      view: window.view,
      signal,
      ...(progress === undefined ? {} : { progress }),
    });
    const declared = pages.listFor(caller, window).tools.get(tool)?.outputSchema !== undefined;
    switch (result.kind) {
      case "answer":
        return fit(
          { content: [{ type: "text", text: result.text }], structuredContent: result.structured },
          caller.principal,
          declared,
        );
      case "error":
        // Several clients hide the text as soon as there is structured content.
        return { content: [{ type: "text", text: result.text }], isError: true };
      case "unknown-tool":
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${call.name}`);
    }
  }

  function asTask(call: ToolCall, tool: string): NativeResult {
    const { principal } = call.caller;
    const task = tasks.create({ principal, run: ({ signal }) => dispatch(call, tool, signal) });
    if (task === undefined) return failed(shellError("TOO_MANY_TASKS", "Too many tasks are kept already."));
    return { resultType: "task", ...task };
  }

  async function within(call: ToolCall, tool: string, longest: Duration): Promise<CallToolResult> {
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
      return await Promise.race([dispatch(call, tool, AbortSignal.any([call.signal, aborter.signal])), ended]);
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
