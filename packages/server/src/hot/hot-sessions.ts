import type { IncomingHttpHeaders } from "node:http";
import { ProtocolError, ProtocolErrorCode, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import type { Log } from "@steading/kernel";
import { jsonOf } from "../calls/encoded-result.ts";
import type { ToolCalls } from "../calls/tool-calls.ts";
import type { Exchange } from "../eras/exchange.ts";
import { callerFor } from "../eras/identity.ts";
import { connectionSignal } from "../http/connection-signal.ts";
import { sendRpcFault, sendText } from "../http/respond.ts";
import type { Seats } from "../limits/call-seats.ts";
import { readTraceContext } from "../traces/trace-context.ts";
import type { PlainTool, PlainTools } from "./plain-tools.ts";

type Members = Readonly<Record<string, unknown>>;

/** Calls of plain tools in 2025 sessions that answer with JSON, without the session's protocol instance. */
export interface HotSessions {
  /**
   * Runs the call and resolves to what sends its answer. Undefined: not taken, nothing was touched; the session's own
   * instance owns every error.
   */
  take(exchange: Exchange, session: string, body: unknown, seats: Seats): Promise<() => void> | undefined;
}

interface Call {
  readonly id: string | number;
  readonly name: string;
  readonly given: Members | undefined;
  readonly meta: Members;
}
interface Taken {
  readonly call: Call;
  readonly tool: PlainTool;
  readonly session: string;
  readonly seats: Seats;
}

export function createHotSessions({
  plain,
  calls,
  log,
}: {
  readonly plain: PlainTools;
  readonly calls: ToolCalls;
  readonly log: Log;
}): HotSessions {
  async function run(exchange: Exchange, { call, tool, session, seats }: Taken): Promise<() => void> {
    const { req, res, identity, window } = exchange;
    const { id, name, given, meta } = call;
    const headers = { "mcp-session-id": session };
    try {
      const result = await calls.run({
        name,
        arguments: given,
        caller: callerFor(
          identity,
          readTraceContext(meta, (header) => req.headers[header]),
        ),
        window,
        era: "legacy",
        signal: connectionSignal(req.socket),
        takesTask: false,
        seats,
        listed: tool.listed,
        native: () => {
          throw new Error("A plain tool asked for more than its arguments");
        },
      });
      const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${jsonOf(result)}}`;
      return () => sendText(res, 200, "application/json", text, headers);
    } catch (fault) {
      const told = faultOf(fault);
      return () => sendRpcFault(res, { status: 200, ...told, id, headers });
    } finally {
      tool.ended();
    }
  }

  function faultOf(fault: unknown): { code: number; message: string; data?: unknown } {
    if (fault instanceof ProtocolError) {
      const { code, message, data } = fault;
      return { code, message, ...(data === undefined ? {} : { data }) };
    }
    log.error("A call on the hot path failed.", fault);
    return { code: ProtocolErrorCode.InternalError, message: "Internal error; the log has the reason." };
  }

  return {
    take(exchange, session, body, seats) {
      const { req, identity, window } = exchange;
      const call = isInOrder(req.headers) ? readCall(body) : undefined;
      const tool = call && plain.find(call.name, identity, window);
      return call && tool && run(exchange, { call, tool, session, seats });
    },
  };
}

/** What the transport asks of a POST; whatever is amiss is for the transport to say. */
function isInOrder({ accept = "", "content-type": type = "", ...headers }: IncomingHttpHeaders): boolean {
  const version = headers["mcp-protocol-version"];
  return (
    type.startsWith("application/json") &&
    accept.includes("application/json") &&
    accept.includes("text/event-stream") &&
    (version === undefined || (typeof version === "string" && SUPPORTED_PROTOCOL_VERSIONS.includes(version)))
  );
}

function readCall(body: unknown): Call | undefined {
  if (!isObject(body)) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isObject(params)) return undefined;
  if (typeof id !== "string" && !(typeof id === "number" && Number.isSafeInteger(id))) return undefined;
  const { name, arguments: given, _meta: meta = {}, ...rest } = params;
  if (typeof name !== "string" || (given !== undefined && !isObject(given)) || !isObject(meta)) return undefined;
  // Progress needs a stream, and what else may be asked for here needs the instance.
  if (meta["progressToken"] !== undefined || Object.keys(rest).length > 0) return undefined;
  return { id, name, given, meta };
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
