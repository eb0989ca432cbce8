import { ProtocolError, ProtocolErrorCode, type CallToolResult } from "@modelcontextprotocol/server";
import type { Caller, Dispatcher } from "@steading/kernel";
import type { Window } from "../http/route.ts";
import type { ToolPages } from "../lists/tool-pages.ts";

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly window: Window;
  readonly signal: AbortSignal;
  progress?(done: number, total?: number, message?: string): void;
}

export interface ToolCalls {
  /** Throws ProtocolError for an unknown tool; everything else is a result. */
  run(call: ToolCall): Promise<CallToolResult>;
}

/** The wire's side of the dispatcher: the same for every era and transport, so that their answers are equal. */
export function createToolCalls({
  dispatcher,
  pages,
}: {
  readonly dispatcher: Dispatcher;
  readonly pages: ToolPages;
}): ToolCalls {
  return {
    async run({ name, arguments: given, caller, window, signal, progress }) {
      const tool = window.names === "safe" ? pages.listFor(caller, window).names.fromSafe(name) : name;
      const result = await dispatcher.call({
        tool,
        arguments: given ?? {},
        caller,
        view: window.view,
        signal,
        ...(progress === undefined ? {} : { progress }),
      });
      switch (result.kind) {
        case "answer":
          return { content: [{ type: "text", text: result.text }], structuredContent: { ...result.structured } };
        case "error":
          // Several clients hide the text as soon as there is structured content.
          return { content: [{ type: "text", text: result.text }], isError: true };
        case "unknown-tool":
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
      }
    },
  };
}
