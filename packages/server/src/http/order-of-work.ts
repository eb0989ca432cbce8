import type { IncomingMessage, ServerResponse } from "node:http";
import { classifyInboundRequest, isInitializeRequest } from "@modelcontextprotocol/server";
import type { Log } from "@steading/kernel";
import type { Admitted, BearerGate } from "../auth/bearer-gate.ts";
import type { UrgentCalls } from "../calls/urgent-calls.ts";
import type { Exchange } from "../eras/exchange.ts";
import type { ModernLeg } from "../eras/modern.ts";
import type { Sessions } from "../eras/sessions.ts";
import type { SseLegs } from "../eras/sse-legs.ts";
import type { HotPath } from "../hot/hot-path.ts";
import { callsIn, type CallSeats, type Seats } from "../limits/call-seats.ts";
import type { ListenRouter } from "../listen/listen-router.ts";
import type { Cors } from "./cors.ts";
import type { HostAndOriginCheck } from "./host-and-origin.ts";
import type { PlainRoute } from "./plain-answers.ts";
import type { EdgeCounters } from "./edge-counters.ts";
import { isJsonMediaType, type ReadBody } from "./read-body.ts";
import { echoableId, sendJson, sendRpcFault, sendText } from "./respond.ts";
import type { Route, RouteOf } from "./route.ts";

type McpRoute = Extract<Route, { kind: "mcp" }>;

/** What happens to one HTTP request, step by step, in the order of the MCP contract's section 3. */
export function createOrderOfWork({
  check,
  cors,
  gate,
  answerPlain,
  metrics,
  hot,
  listen,
  modern,
  sessions,
  sse,
  seats: allSeats,
  urgentCalls,
  log,
  readBody,
  edge,
}: {
  readonly check: HostAndOriginCheck;
  readonly cors: Cors;
  readonly gate: BearerGate;
  answerPlain(req: IncomingMessage, res: ServerResponse, route: PlainRoute): void | Promise<void>;
  metrics(): string;
  /** Undefined: switched off. */
  readonly hot: HotPath | undefined;
  readonly listen: Pick<ListenRouter, "serve">;
  readonly modern: ModernLeg;
  readonly sessions: Sessions;
  readonly sse: SseLegs;
  readonly seats: CallSeats;
  readonly urgentCalls: UrgentCalls;
  readonly log: Log;
  readonly readBody: ReadBody;
  readonly edge: EdgeCounters;
}): (req: IncomingMessage, res: ServerResponse, routeOf: RouteOf) => void {
  // Not async, like the next two: what needs no waiting gets none, and every promise costs on every call.
  function work(req: IncomingMessage, res: ServerResponse, routeOf: RouteOf): Promise<void> | void {
    const refusal = check.refusal(req);
    if (refusal !== undefined) {
      edge.count("guard");
      return sendRpcFault(res, { status: 403, code: -32000, message: refusal });
    }
    if (cors.handle(req, res)) return;

    const route = routeOf(req.url ?? "/");
    switch (route.kind) {
      case "mcp":
        return route.sseSession !== undefined && req.method === "POST"
          ? sse.post(req, res, route.sseSession)
          : mcp(req, res, route);
      case "messages":
        return sse.post(req, res, route.sseSession);
      case "metrics":
        return tellMetrics(req, res);
      case "part":
        return route.serve(req, res);
      default:
        return answerPlain(req, res, route);
    }
  }

  async function tellMetrics(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const who = await gate.admit(req, res, "/mcp");
    if (who === undefined) return;
    // A narrow token sees its own tools and places; the whole hub's numbers are neither, unless it is for them.
    const { toolsets, pathPrefixes } = who.identity.scope ?? {};
    if (pathPrefixes !== undefined || (toolsets !== undefined && !toolsets.includes("metrics"))) {
      edge.count("forbidden");
      return sendJson(res, 403, { error: "insufficient_scope", error_description: "The token is not for metrics" });
    }
    sendText(res, 200, "text/plain; version=0.0.4", metrics());
  }

  function mcp(req: IncomingMessage, res: ServerResponse, route: McpRoute): Promise<void> | void {
    const who = gate.admit(req, res, route.path);
    return who instanceof Promise
      ? who.then((late) => admitted(req, res, route, late))
      : admitted(req, res, route, who);
  }

  function admitted(
    req: IncomingMessage,
    res: ServerResponse,
    { window }: McpRoute,
    who: Admitted | undefined,
  ): Promise<void> | void {
    if (who === undefined) return;
    const exchange: Exchange = { req, res, identity: who.identity, token: who.token, window };
    return req.method === "POST" ? post(exchange) : getOrDelete(exchange);
  }

  async function post(exchange: Exchange): Promise<void> {
    const { req, res, identity } = exchange;
    if (!isJsonMediaType(req.headers["content-type"])) {
      edge.count("media");
      return sendRpcFault(res, { status: 415, code: -32000, message: "Content-Type must be application/json" });
    }
    const body = await readBody(req, { name: identity.principal, isKnown: true });
    switch (body.kind) {
      case "json": {
        const { value } = body;
        const urgent = (): number => urgentCalls.countIn(value, identity, exchange.window);
        const seats = allSeats.reserve({ principal: identity.principal, calls: callsIn(value), urgent, req });
        return "retryAfter" in seats
          ? tooMany(res, seats.retryAfter, body.value)
          : dispatch(exchange, body.value, seats);
      }
      case "refused":
        edge.count(body.why);
        return sendRpcFault(res, body.fault);
      case "gone":
        return;
    }
  }

  function tooMany(res: ServerResponse, retryAfter: number, body: unknown): void {
    edge.count("too_many_calls");
    const headers = { "Retry-After": retryAfter };
    sendRpcFault(res, {
      status: 429,
      code: -32000,
      message: "Too many calls; try again later",
      id: echoableId(body),
      headers,
    });
  }

  function dispatch(exchange: Exchange, body: unknown, seats: Seats): Promise<void> | void {
    if (hot?.serve(exchange, body, seats) === true) return;
    seats.giveBackWith(exchange.res);
    const { headers } = exchange.req;
    const outcome = classifyInboundRequest({ httpMethod: "POST", ...standardHeaders(exchange.req), body });
    if (outcome.kind === "modern" && outcome.messageKind === "request" && isListen(outcome, exchange.req)) {
      const { id, params = {} } = outcome.message;
      return listen.serve(exchange, { id, params }).then(() => {});
    }
    // The 2026 leg also owns the error bodies of what is neither.
    if (outcome.kind !== "legacy") return modern.serve(exchange, body, seats);
    const session = headers["mcp-session-id"];
    if (typeof session === "string") return sessions.post(exchange, session, body, seats);
    if (isInitializeRequest(body)) return sessions.open(exchange, body);
    const message = "Bad Request: Mcp-Session-Id header is required";
    return sendRpcFault(exchange.res, { status: 400, code: -32000, message });
  }

  function getOrDelete(exchange: Exchange): Promise<void> | void {
    const { req, res } = exchange;
    const session = req.headers["mcp-session-id"];
    const either = req.method === "GET" || req.method === "DELETE";
    if (either && typeof session === "string") return sessions.getOrDelete(exchange, session);
    // Clients that replace fetch lose the Accept header, so only what is surely a browser is turned away.
    if (req.method === "GET" && !(req.headers.accept ?? "").includes("text/html")) return sse.open(exchange);
    const message = req.method === "GET" ? "This address speaks MCP; give it to an MCP client" : "Method not allowed";
    return sendRpcFault(res, { status: 405, code: -32000, message, headers: { Allow: "GET, POST, DELETE" } });
  }

  function failed(req: IncomingMessage, res: ServerResponse, fault: unknown): void {
    log.error("A request could not be served.", fault, { path: (req.url ?? "").split("?", 1)[0] ?? "" });
    if (res.headersSent) res.destroy();
    else sendRpcFault(res, { status: 500, code: -32603, message: "Internal server error" });
  }

  return (req, res, routeOf) => {
    try {
      const working = work(req, res, routeOf);
      if (working instanceof Promise) working.catch((fault: unknown) => failed(req, res, fault));
    } catch (fault) {
      failed(req, res, fault);
    }
  };
}

type Modern = Extract<ReturnType<typeof classifyInboundRequest>, { kind: "modern"; messageKind: "request" }>;

/** Only what would pass the SDK's header checks is ours; the rest gets that leg's errors. */
function isListen({ message, classification }: Modern, { headers }: IncomingMessage): boolean {
  return (
    message.method === "subscriptions/listen" &&
    classification.revision === "2026-07-28" &&
    headers["mcp-protocol-version"]?.toString().trim() === "2026-07-28" &&
    headers["mcp-method"]?.toString().trim() === message.method
  );
}

function standardHeaders({ headers }: IncomingMessage): Record<string, string> {
  const found: Record<string, string> = {};
  const take = (name: string, as: string): void => {
    const value = headers[name];
    if (typeof value === "string") found[as] = value;
  };
  take("mcp-protocol-version", "protocolVersionHeader");
  take("mcp-method", "mcpMethodHeader");
  take("mcp-name", "mcpNameHeader");
  return found;
}
