import type { ToolCalls } from "../calls/tool-calls.ts";
import type { HotPath } from "../hot/hot-path.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import { knownTool } from "./known-tool.ts";
import type { RequestWatch } from "./request-watch.ts";
import { readTraceContext } from "./trace-context.ts";

/** The calls of the hot path, counted and traced around what it does, so that it need not look at anything itself. */
export function watchHotCalls({
  calls,
  pages,
  watch,
}: {
  readonly calls: ToolCalls;
  readonly pages: Pick<ToolPages, "listFor">;
  readonly watch: RequestWatch;
}): ToolCalls {
  return {
    run(call) {
      const { caller, window, era } = call;
      const { transport, role } = caller;
      const tool = knownTool(call.listed ?? pages.listFor(caller, window), window, call.name);
      return watch.during({ method: "tools/call", tool, era, transport, role, hot: true }, caller, (trace) =>
        calls.run(watch.spans === undefined ? call : { ...call, caller: { ...caller, ...trace } }),
      );
    },
  };
}

/** Lists are answered in one step; only those that the hot path took are counted here. */
export function watchHotLists(hot: HotPath, watch: RequestWatch): HotPath {
  return {
    serve(exchange, body, seats) {
      const taken = hot.serve(exchange, body, seats);
      if (!taken || exchange.req.headers["mcp-method"] !== "tools/list") return taken;
      const { transport, role } = exchange.identity;
      const { params } = body as { readonly params: { readonly _meta: Readonly<Record<string, unknown>> } }; // it was taken
      const trace = readTraceContext(params._meta, (name) => exchange.req.headers[name]);
      const about = { method: "tools/list", era: "modern", transport, role, hot: true } as const;
      void watch.during(about, trace, () => Promise.resolve({}));
      return taken;
    },
    get served() {
      return hot.served;
    },
  };
}
