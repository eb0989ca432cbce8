import type { IncomingMessage, ServerResponse } from "node:http";
import type { Admitted, BearerGate } from "../auth/bearer-gate.ts";
import type { EdgeCounters } from "../http/edge-counters.ts";
import { isJsonMediaType, type ReadBody } from "../http/read-body.ts";
import { sendRpcFault } from "../http/respond.ts";
import type { UrgentCalls } from "../calls/urgent-calls.ts";
import type { Window } from "../http/route.ts";
import { callsIn, type CallSeats } from "../limits/call-seats.ts";
import type { Exchange } from "./exchange.ts";
import type { SseSessions } from "./sse.ts";

/** This transport shows everything. */
const WINDOW: Window = { view: { kind: "all" }, names: "dotted" };

/** `required`: credentials on both legs. `session`: a message may lean on the stream's, for clients that send none. */
export type SsePostAuth = "required" | "session";

export interface SseLegs {
  open(exchange: Exchange): Promise<void>;
  post(req: IncomingMessage, res: ServerResponse, id: string | undefined): Promise<void>;
}

/** The message leg answers in its own old way: 400 for a wrong media type, 202 for everything it takes. */
export function createSseLegs({
  sessions,
  gate,
  postAuth,
  seats: allSeats,
  urgentCalls,
  readBody,
  edge,
}: {
  readonly sessions: SseSessions;
  readonly gate: BearerGate;
  readonly postAuth: SsePostAuth;
  readonly seats: CallSeats;
  readonly urgentCalls: UrgentCalls;
  readonly readBody: ReadBody;
  readonly edge: EdgeCounters;
}): SseLegs {
  async function admit(
    req: IncomingMessage,
    res: ServerResponse,
    id: string | undefined,
  ): Promise<Admitted | undefined> {
    const opener =
      postAuth === "session" && req.headers.authorization === undefined ? sessions.openerOf(id) : undefined;
    return gate.admit(req, res, "/mcp", opener?.token);
  }

  return {
    open: (exchange) => sessions.open(exchange),
    async post(req, res, id) {
      const who = await admit(req, res, id);
      if (who === undefined) return;
      if (req.method !== "POST") {
        return sendRpcFault(res, {
          status: 405,
          code: -32000,
          message: "Method not allowed",
          headers: { Allow: "POST" },
        });
      }
      if (id === undefined || !sessions.has(id, who.identity.principal)) {
        return sendRpcFault(res, { status: 404, code: -32001, message: "Session not found" });
      }
      if (!isJsonMediaType(req.headers["content-type"])) {
        edge.count("media");
        return sendRpcFault(res, { status: 400, code: -32000, message: "Content-Type must be application/json" });
      }
      const { principal } = who.identity;
      const body = await readBody(req, { name: principal, isKnown: true });
      if (body.kind === "gone") return;
      if (body.kind === "refused") {
        edge.count(body.why);
        return sendRpcFault(res, body.fault);
      }
      const urgent = (): number => urgentCalls.countIn(body.value, who.identity, WINDOW);
      const seats = allSeats.reserve({ principal, calls: callsIn(body.value), urgent, req });
      if ("retryAfter" in seats) {
        edge.count("too_many_calls");
        return sendRpcFault(res, {
          status: 429,
          code: -32000,
          message: "Too many calls; try again later",
          headers: { "Retry-After": seats.retryAfter },
        });
      }
      seats.giveBackWith(res);
      await sessions.post(
        { req, res, identity: who.identity, token: who.token, window: WINDOW },
        id,
        body.value,
        seats,
      );
    },
  };
}
