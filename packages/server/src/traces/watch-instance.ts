import {
  BAGGAGE_META_KEY,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
  type JSONRPCRequest,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { identityFrom, traceOf, type Identity } from "../eras/identity.ts";
import type { Window } from "../http/route.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import { knownTool } from "./known-tool.ts";
import type { RequestWatch } from "./request-watch.ts";
import type { TraceContext } from "./trace-context.ts";

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** Stands around every handler of one protocol instance. */
export type WatchInstance = (run: Handler) => Handler;

export function watchInstance({
  watch,
  pages,
  era,
  identity: connection,
  window,
}: {
  readonly watch: RequestWatch;
  readonly pages: Pick<ToolPages, "listFor">;
  readonly era: "modern" | "legacy";
  readonly identity: Identity;
  readonly window: Window;
}): WatchInstance {
  function toolOf({ method, params }: JSONRPCRequest, identity: Identity): string | undefined {
    return method === "tools/call" ? knownTool(pages.listFor(identity, window), window, params?.["name"]) : undefined;
  }
  return (run) => (request, context) => {
    const identity = identityFrom(context.http?.authInfo) ?? connection;
    const { transport, role } = identity;
    const about = { method: request.method, tool: toolOf(request, identity), era, transport, role, hot: false };
    return watch.during(about, traceOf(context), (trace) => {
      // Where handlers look for it: what they do belongs below the request's own span.
      if (watch.spans !== undefined) context.mcpReq._meta = { ...context.mcpReq._meta, ...inMeta(trace) };
      return run(request, context);
    });
  };
}

function inMeta({ traceparent, tracestate, baggage }: TraceContext): Record<string, string> {
  return {
    ...(traceparent === undefined ? {} : { [TRACEPARENT_META_KEY]: traceparent }),
    ...(tracestate === undefined ? {} : { [TRACESTATE_META_KEY]: tracestate }),
    ...(baggage === undefined ? {} : { [BAGGAGE_META_KEY]: baggage }),
  };
}
