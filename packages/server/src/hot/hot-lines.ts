import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/server";
import type { Log } from "@steading/kernel";
import type { ToolCalls } from "../calls/tool-calls.ts";
import type { ServerInfo } from "../eras/build-instance.ts";
import { callerFor, type Identity } from "../eras/identity.ts";
import type { Window } from "../http/route.ts";
import { readTraceContext } from "../traces/trace-context.ts";
import { isModern, readHotBody, type HotRequest } from "./hot-request.ts";
import type { PlainTool, PlainTools } from "./plain-tools.ts";

/** Calls of plain tools on one line of the 2026 era, without the protocol instance that serves the rest of it. */
export interface HotLine {
  /** True: taken, and answered by itself. */
  take(message: JSONRPCMessage): boolean;
  /** The client is gone: nothing more is said, and what runs is told. */
  close(): void;
}

export interface OpenHotLine {
  readonly identity: Identity;
  readonly window: Window;
  send(message: JSONRPCMessage): Promise<void>;
}

export type HotLines = (line: OpenHotLine) => HotLine;

export function createHotLines({
  info,
  plain,
  calls,
  log,
}: {
  readonly info: ServerInfo;
  readonly plain: PlainTools;
  readonly calls: ToolCalls;
  readonly log: Log;
}): HotLines {
  const always = { resultType: "complete", _meta: { [SERVER_INFO_META_KEY]: info } } as const;

  return ({ identity, window, send }) => {
    const running = new Map<RequestId, AbortController>();
    /** The instance decides by the first message which era is spoken; until it has, it sees every message. */
    let era: "open" | "modern" | "legacy" = "open";

    async function run({ id, params, meta, takesTask }: HotRequest, tool: PlainTool): Promise<void> {
      const aborter = new AbortController();
      running.set(id, aborter);
      let answer: JSONRPCMessage;
      try {
        const result = await calls.run({
          name: params["name"] as string, // checked before
          arguments: params["arguments"],
          caller: callerFor(
            identity,
            readTraceContext(meta, () => undefined),
          ),
          window,
          era: "modern",
          signal: aborter.signal,
          takesTask,
          seats: undefined,
          listed: tool.listed,
          native: () => {
            throw new Error("A plain tool asked for more than its arguments");
          },
        });
        answer = { jsonrpc: "2.0", id, result: { ...result, ...always } };
      } catch (fault) {
        answer = { jsonrpc: "2.0", id, error: errorOf(fault) };
      }
      tool.ended();
      running.delete(id);
      // Nothing may follow a cancellation.
      if (!aborter.signal.aborted) await send(answer);
    }

    function errorOf(fault: unknown): { code: number; message: string; data?: unknown } {
      if (fault instanceof ProtocolError) {
        const { code, message, data } = fault;
        return { code, message, ...(data === undefined ? {} : { data }) };
      }
      log.error("A call on the hot path failed.", fault);
      return { code: ProtocolErrorCode.InternalError, message: "Internal error; the log has the reason." };
    }

    function cancels(message: JSONRPCMessage): boolean {
      if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return false;
      const { requestId } = (message.params ?? {}) as { readonly requestId?: RequestId };
      const aborter = requestId === undefined ? undefined : running.get(requestId);
      aborter?.abort(new Error("The client cancelled the call"));
      return aborter !== undefined;
    }

    return {
      take(message) {
        if (era === "modern") {
          if (cancels(message)) return true;
          const request = readHotBody(message);
          if (request?.method !== "tools/call" || running.has(request.id)) return false;
          const tool = plain.find(request.params["name"] as string, identity, window); // checked before
          if (tool === undefined) return false;
          run(request, tool).catch((fault: unknown) => log.error("An answer could not be sent.", fault));
          return true;
        }
        if (era === "open" && isJSONRPCRequest(message) && message.method !== "server/discover")
          era = isModern(message) ? "modern" : "legacy";
        return false;
      },
      close() {
        for (const aborter of running.values()) aborter.abort(new Error("The client is gone"));
        running.clear();
      },
    };
  };
}
