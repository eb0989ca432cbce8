import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
} from "@modelcontextprotocol/server";
import { isJsonObject, type Caller, type CallResult, type Dispatcher, type Tool } from "@steading/kernel";
import type { Window } from "../http/route.ts";
import type { CallSeats, Seats } from "../limits/call-seats.ts";
import type { Limits } from "../limits/limits.ts";
import type { ToolList, ToolPages } from "../lists/tool-pages.ts";
import type { NativeContext, NativeResult, NativeTool } from "../native/native-tool.ts";
import type { NativeTools } from "../native/native-tools.ts";
import { projectResult } from "../native/project-result.ts";
import type { Confirmation } from "./confirmation.ts";
import type { RunConfirmed } from "./confirmed-calls.ts";
import { withJson } from "./encoded-result.ts";
import type { FitResult } from "./fit-result.ts";
import type { UrgentCalls } from "./urgent-calls.ts";
import type { LongCall, LongCalls, Waiting } from "./long-calls.ts";

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
  /** How the client can be asked for a yes; undefined where it cannot. */
  confirmation?(): Confirmation | undefined;
  /** What a tool that speaks MCP itself gets. */
  native(): Omit<NativeContext, "tasks" | "changes" | "definitionsChanged" | "mint" | "caller">;
}

/** A call whose tool is known by its real name. */
interface Asked {
  readonly call: ToolCall;
  readonly name: string;
  readonly declaresOutput: boolean;
  /** It may turn out to need a yes. */
  readonly mayAsk: boolean;
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
  confirmed,
  longCalls,
  seats: allSeats,
  urgentCalls,
  fit,
  limits,
}: {
  readonly dispatcher: Dispatcher;
  readonly pages: ToolPages;
  readonly natives: NativeTools;
  nativeExtras(call: ToolCall): Pick<NativeContext, "tasks" | "changes" | "definitionsChanged" | "mint">;
  readonly confirmed: RunConfirmed;
  readonly longCalls: LongCalls;
  readonly seats: CallSeats;
  readonly urgentCalls: UrgentCalls;
  readonly fit: FitResult;
  readonly limits: Pick<Limits, "longestCall">;
}): ToolCalls {
  async function runNative(native: NativeTool, call: ToolCall): Promise<NativeResult> {
    const { caller } = call;
    const result = await natives.run(native, call.arguments, () => ({
      ...call.native(),
      ...nativeExtras(call),
      caller,
    }));
    if (!isPlainResult(result)) return result;
    const projected = projectResult(result, call.era);
    return fit(projected, caller.principal, native.definition.outputSchema !== undefined);
  }

  /** Hands promises on without waiting for them itself: each wait costs, and this is the path of every call. */
  function run(call: ToolCall): Promise<NativeResult> {
    const { caller, window } = call;
    const list = call.listed ?? pages.listFor(caller, window);
    const name = window.names === "safe" ? list.names.fromSafe(call.name) : call.name;
    const native = window.view.kind === "all" ? natives.find(name, caller) : undefined;
    if (native !== undefined) return runNative(native, call);
    const tool = list.tools.get(name);
    const asked: Asked = {
      call,
      name,
      declaresOutput: tool?.outputSchema !== undefined,
      mayAsk: tool !== undefined && takesApproval(tool) && !carriesApproval(call.arguments),
    };
    if (tool?.deadline === undefined || tool.deadline <= limits.longestCall)
      return answer(asked, { signal: call.signal, mayAsk: always });
    const long: LongCall = {
      principal: caller.principal,
      signal: call.signal,
      acts: tool.intent === "MUTATE",
      answer: (waiting) => answer(asked, waiting),
    };
    // Tasks are counted; what makes things safe is not.
    if (!call.takesTask || tool.isUrgent?.(call.arguments) === true) return longCalls.within(long);
    return asked.mayAsk ? longCalls.askedThenTask(long) : longCalls.asTask(long);
  }

  async function answer(asked: Asked, { signal, mayAsk }: Waiting): Promise<CallToolResult | InputRequiredResult> {
    const { call, name } = asked;
    const { caller, window, progress } = call;
    const run = (given: unknown): Promise<CallResult> =>
      dispatcher.call({
        tool: name,
        arguments: given,
        caller,
        view: window.view,
        signal,
        ...(progress === undefined ? {} : { progress }),
      });
    const given = call.arguments ?? {};
    const result = asked.mayAsk
      ? await confirmed({ arguments: given, caller, confirmation: call.confirmation?.(), mayAsk, run })
      : await run(given);
    return isQuestion(result) ? result : toWire(result, asked);
  }

  function toWire(result: CallResult, { call, declaresOutput }: Asked): CallToolResult {
    switch (result.kind) {
      case "answer":
        return fit(
          withJson(
            { content: [{ type: "text", text: result.text }], structuredContent: result.structured },
            result.encoded,
          ),
          call.caller.principal,
          declaresOutput,
        );
      case "error":
        // Several clients hide the text as soon as there is structured content.
        return { content: [{ type: "text", text: result.text }], isError: true };
      case "unknown-tool":
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${call.name}`);
    }
  }

  return {
    async run(call) {
      const isUrgent = (): boolean => urgentCalls.isUrgent(call, call.caller, call.window);
      const release = call.seats?.claim() ?? allSeats.take(call.caller.principal, isUrgent);
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

function isQuestion(result: CallResult | InputRequiredResult): result is InputRequiredResult {
  return "resultType" in result;
}

const always = (): boolean => true;

function takesApproval({ inputSchema }: Tool): boolean {
  const { properties } = inputSchema;
  return isJsonObject(properties) && "approval" in properties;
}

function carriesApproval(given: unknown): boolean {
  return typeof given === "object" && given !== null && "approval" in given;
}
