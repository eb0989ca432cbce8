import { ProtocolError, SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";
import type { Caller, Log } from "@steading/kernel";
import { jsonOf } from "../calls/encoded-result.ts";
import type { ToolCalls } from "../calls/tool-calls.ts";
import type { ServerInfo } from "../eras/build-instance.ts";
import type { Exchange } from "../eras/exchange.ts";
import { callerFor } from "../eras/identity.ts";
import { connectionSignal } from "../http/connection-signal.ts";
import { sendRpcFault, sendText } from "../http/respond.ts";
import type { Seats } from "../limits/call-seats.ts";
import type { ToolPage, ToolPages } from "../lists/tool-pages.ts";
import { readTraceContext } from "../traces/trace-context.ts";
import { readHotRequest, type HotRequest } from "./hot-request.ts";
import type { PlainTool, PlainTools } from "./plain-tools.ts";

/** `tools/list` and calls of plain tools in the 2026 era, without a protocol instance around them. */
export interface HotPath {
  /** False: not taken, nothing was touched. */
  serve(exchange: Exchange, body: unknown, seats: Seats): boolean;
  readonly served: number;
}

interface Found {
  readonly caller: Caller;
  readonly seats: Seats;
  readonly tool: PlainTool;
}

export function createHotPath({
  info,
  pages,
  plain,
  calls,
  log,
}: {
  readonly info: ServerInfo;
  readonly pages: Pick<ToolPages, "page">;
  readonly plain: PlainTools;
  readonly calls: ToolCalls;
  readonly log: Log;
}): HotPath {
  const closing = `,"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: info })}}}`;
  /** Pages from behind the id on, encoded once: a long one takes longer to encode than all else together. */
  const encoded = new WeakMap<ToolPage, Buffer>();
  let served = 0;

  function answer({ res }: Exchange, id: string | number, result: string): void {
    // `result` is a JSON object without its last brace; what every result carries follows.
    sendText(res, 200, "application/json", `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}${closing}`);
  }

  function list(exchange: Exchange, { id, params }: HotRequest): boolean {
    const page = pages.page(exchange.identity, exchange.window, params["cursor"] as string | undefined); // checked before
    if (page === undefined) return false;
    let rest = encoded.get(page);
    if (rest === undefined) {
      const text = JSON.stringify({ ...page, ttlMs: 60_000, cacheScope: "private" }).slice(0, -1);
      rest = Buffer.from(`,"result":${text}${closing}`);
      encoded.set(page, rest);
    }
    const start = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)}`);
    exchange.res.writeHead(200, { "Content-Type": "application/json", "Content-Length": start.length + rest.length });
    exchange.res.write(start);
    exchange.res.end(rest);
    return true;
  }

  function call(exchange: Exchange, request: HotRequest, seats: Seats): boolean {
    const { identity, window } = exchange;
    const tool = plain.find(request.params["name"] as string, identity, window); // checked before
    if (tool === undefined) return false;
    const trace = readTraceContext(request.meta, (header) => exchange.req.headers[header]);
    void run(exchange, request, { caller: callerFor(identity, trace), seats, tool });
    return true;
  }

  async function run(exchange: Exchange, request: HotRequest, { caller, seats, tool }: Found): Promise<void> {
    const { res, window } = exchange;
    try {
      const result = await calls.run({
        name: request.params["name"] as string, // checked before
        arguments: request.params["arguments"],
        caller,
        window,
        era: "modern",
        // The dispatcher lets go of it with the call.
        signal: connectionSignal(exchange.req.socket),
        takesTask: request.takesTask,
        seats,
        listed: tool.listed,
        native: () => {
          throw new Error("A plain tool asked for more than its arguments");
        },
      });
      if (!res.destroyed) answer(exchange, request.id, jsonOf(result).slice(0, -1));
    } catch (fault) {
      if (!res.destroyed) refuse(exchange, request.id, fault);
    }
    tool.ended();
  }

  function refuse({ res }: Exchange, id: string | number, fault: unknown): void {
    if (fault instanceof ProtocolError) {
      return sendRpcFault(res, { status: 200, code: fault.code, message: fault.message, id, data: fault.data });
    }
    log.error("A call on the hot path failed.", fault);
    sendRpcFault(res, { status: 200, code: -32603, message: "Internal error; the log has the reason.", id });
  }

  return {
    serve(exchange, body, seats) {
      const request = readHotRequest(exchange.req.headers, body);
      if (request === undefined) return false;
      const taken = request.method === "tools/list" ? list(exchange, request) : call(exchange, request, seats);
      if (taken) served++;
      return taken;
    },
    get served() {
      return served;
    },
  };
}
