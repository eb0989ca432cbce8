import { ProtocolError, SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";
import { seconds, type Caller, type Clock, type Log, type Tool } from "@steading/kernel";
import type { ToolCalls } from "../calls/tool-calls.ts";
import type { ServerInfo } from "../eras/build-instance.ts";
import type { Exchange } from "../eras/exchange.ts";
import { callerFor } from "../eras/identity.ts";
import { connectionSignal } from "../http/connection-signal.ts";
import { sendRpcFault, sendText } from "../http/respond.ts";
import type { Seats } from "../limits/call-seats.ts";
import type { ToolList, ToolPage, ToolPages } from "../lists/tool-pages.ts";
import type { NativeTools } from "../native/native-tools.ts";
import { readTraceContext } from "../traces/trace-context.ts";
import { readHotRequest, type HotRequest } from "./hot-request.ts";

/** `tools/list` and calls of plain tools in the 2026 era, without a protocol instance around them. */
export interface HotPath {
  /** False: not taken, nothing was touched. */
  serve(exchange: Exchange, body: unknown, seats: Seats): boolean;
  readonly served: number;
}

/** A plain tool answers faster than this; one that was seen not to is plain no more. */
const PLAIN_WITHIN = seconds(2);

interface Found {
  readonly caller: Caller;
  readonly seats: Seats;
  /** Undefined: one that speaks MCP itself. */
  readonly tool: Tool | undefined;
  readonly listed: ToolList;
}

export function createHotPath({
  info,
  pages,
  calls,
  natives,
  clock,
  log,
}: {
  readonly info: ServerInfo;
  readonly pages: ToolPages;
  readonly calls: ToolCalls;
  readonly natives: NativeTools;
  readonly clock: Clock;
  readonly log: Log;
}): HotPath {
  const closing = `,"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: info })}}}`;
  /** Pages from behind the id on, encoded once: a long one takes longer to encode than all else together. */
  const encoded = new WeakMap<ToolPage, Buffer>();
  const slow = new WeakSet<Tool>();
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

  function isPlain(tool: Tool): boolean {
    const bounded = tool.deadline === undefined || tool.deadline <= PLAIN_WITHIN;
    return tool.intent === "READ_ONLY" && tool.confirm === "plain" && bounded && !slow.has(tool);
  }

  function call(exchange: Exchange, request: HotRequest, seats: Seats): boolean {
    const { identity, window } = exchange;
    const given = request.params["name"] as string; // checked before
    const known = pages.listFor(identity, window);
    const name = window.names === "safe" ? known.names.fromSafe(given) : given;
    const tool = known.tools.get(name);
    const plain =
      tool === undefined ? natives.find(name, identity)?.plain === true && window.view.kind === "all" : isPlain(tool);
    if (!plain) return false;
    const trace = readTraceContext(request.meta, (header) => exchange.req.headers[header]);
    void run(exchange, request, { caller: callerFor(identity, trace), seats, tool, listed: known });
    return true;
  }

  async function run(exchange: Exchange, request: HotRequest, { caller, seats, tool, listed }: Found): Promise<void> {
    const { res, window } = exchange;
    const startedAt = clock.monotonic();
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
        listed,
        native: () => {
          throw new Error("A plain tool asked for more than its arguments");
        },
      });
      if (!res.destroyed) answer(exchange, request.id, JSON.stringify(result).slice(0, -1));
    } catch (fault) {
      if (!res.destroyed) refuse(exchange, request.id, fault);
    }
    if (tool !== undefined && clock.monotonic() - startedAt >= PLAIN_WITHIN) slow.add(tool);
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
