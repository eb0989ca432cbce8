import type { IncomingMessage, ServerResponse } from "node:http";
import { classifyInboundRequest, isInitializeRequest } from "@modelcontextprotocol/server";
import type { Health, Log } from "@steading/kernel";
import type { BearerGate } from "../auth/bearer-gate.ts";
import type { Exchange, ModernLeg } from "../eras/modern.ts";
import type { Sessions } from "../eras/sessions.ts";
import type { HostAndOriginCheck } from "./host-and-origin.ts";
import { isJsonMediaType, readBody } from "./read-body.ts";
import { sendJson, sendRpcFault } from "./respond.ts";
import { routeOf, type Route } from "./route.ts";

/** What happens to one HTTP request, step by step, in the order of the MCP contract's section 3. */
export function createOrderOfWork({
  check,
  gate,
  modern,
  sessions,
  hasToolset,
  health,
  serverName,
  log,
  bodyBytes,
}: {
  readonly check: HostAndOriginCheck;
  readonly gate: BearerGate;
  readonly modern: ModernLeg;
  readonly sessions: Sessions;
  hasToolset(name: string): boolean;
  health(): Health;
  readonly serverName: string;
  readonly log: Log;
  readonly bodyBytes: number;
}): (req: IncomingMessage, res: ServerResponse) => void {
  async function work(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const refusal = check.refusal(req);
    if (refusal !== undefined) return sendRpcFault(res, { status: 403, code: -32000, message: refusal });

    const route = routeOf(req.url ?? "/", hasToolset);
    if (route.kind !== "mcp" && route.kind !== "messages") return answerPlain(req, res, route);

    const path = route.kind === "mcp" ? route.path : "/mcp";
    const admitted = gate.admit(req, res, path);
    const who = admitted instanceof Promise ? await admitted : admitted;
    if (who === undefined) return;
    if (route.kind === "messages")
      return sendRpcFault(res, { status: 404, code: -32001, message: "Session not found" });

    const exchange: Exchange = { req, res, identity: { ...who, transport: "http" }, window: route.window };
    if (req.method === "POST") return post(exchange);
    return getOrDelete(exchange);
  }

  async function post(exchange: Exchange): Promise<void> {
    const { req, res } = exchange;
    if (!isJsonMediaType(req.headers["content-type"])) {
      return sendRpcFault(res, { status: 415, code: -32000, message: "Content-Type must be application/json" });
    }
    const body = await readBody(req, bodyBytes);
    switch (body.kind) {
      case "json":
        return route2026Or2025(exchange, body.value);
      case "not-json":
        return sendRpcFault(res, { status: 400, code: -32700, message: "Parse error: the body is not JSON" });
      case "too-large": {
        const message = `The body must not exceed ${bodyBytes} bytes`;
        return sendRpcFault(res, { status: 413, code: -32000, message, headers: { Connection: "close" } });
      }
      case "gone":
        return;
    }
  }

  function route2026Or2025(exchange: Exchange, body: unknown): Promise<void> | void {
    const { headers } = exchange.req;
    const outcome = classifyInboundRequest({ httpMethod: "POST", ...standardHeaders(exchange.req), body });
    // The 2026 leg also owns the error bodies of what is neither.
    if (outcome.kind !== "legacy") return modern.serve(exchange, body);
    const session = headers["mcp-session-id"];
    if (typeof session === "string") return sessions.serve(exchange, session, body);
    if (isInitializeRequest(body)) return sessions.open(exchange, body);
    const message = "Bad Request: Mcp-Session-Id header is required";
    return sendRpcFault(exchange.res, { status: 400, code: -32000, message });
  }

  function getOrDelete(exchange: Exchange): Promise<void> | void {
    const { req, res } = exchange;
    const session = req.headers["mcp-session-id"];
    if ((req.method === "GET" || req.method === "DELETE") && typeof session === "string") {
      return sessions.serve(exchange, session, undefined);
    }
    return sendRpcFault(res, {
      status: 405,
      code: -32000,
      message: "Method not allowed",
      headers: { Allow: "GET, POST, DELETE" },
    });
  }

  function answerPlain(
    req: IncomingMessage,
    res: ServerResponse,
    route: Exclude<Route, { kind: "mcp" | "messages" }>,
  ): void {
    if (req.method !== "GET" && req.method !== "HEAD")
      return sendJson(res, 405, { error: "method_not_allowed" }, { Allow: "GET, HEAD" });
    switch (route.kind) {
      case "health":
        return sendJson(res, 200, { status: "ok" });
      case "ready": {
        // The reason may name parts of the house; it is for people with credentials.
        const { status } = health();
        return sendJson(res, status === "down" ? 503 : 200, { status });
      }
      case "resource-metadata": {
        const resource = `http://${req.headers.host ?? "localhost"}${route.path}`;
        return sendJson(res, 200, {
          resource,
          scopes_supported: ["mcp"],
          bearer_methods_supported: ["header"],
          resource_name: serverName,
        });
      }
      case "issuer-metadata":
      case "none":
        return sendJson(res, 404, { error: "not_found" });
    }
  }

  return (req, res) => {
    work(req, res).catch((fault: unknown) => {
      log.error("A request could not be served.", fault, { path: (req.url ?? "").split("?", 1)[0] ?? "" });
      if (res.headersSent) res.destroy();
      else sendRpcFault(res, { status: 500, code: -32603, message: "Internal server error" });
    });
  };
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
