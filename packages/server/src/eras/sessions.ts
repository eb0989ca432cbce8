import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport, type Server } from "@modelcontextprotocol/server";
import { millis, type Cancel, type Clock, type Log } from "@steading/kernel";
import type { FanOut } from "../changes/fan-out.ts";
import { sendRpcFault } from "../http/respond.ts";
import type { Limits } from "../limits/limits.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import type { BuildInstance } from "./build-instance.ts";
import { toAuthInfo } from "./identity.ts";
import { createLegacyListener } from "./legacy-listener.ts";
import type { Exchange } from "./modern.ts";
import { toWebRequest } from "./web-request.ts";
import { writeResponse } from "./write-response.ts";

interface Session {
  readonly id: string;
  readonly principal: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  readonly openedAt: number;
  lastSeen: number;
  /** Answers and streams that are open; a session with any is not idle. */
  busy: number;
}

/** The 2025 era over HTTP: one transport and one instance per session, bound to the principal that opened it. */
export interface Sessions {
  open(exchange: Exchange, body: unknown): Promise<void>;
  /** POST, GET or DELETE of a session; answers 404 when it is unknown, closed or somebody else's. */
  serve(exchange: Exchange, id: string, body: unknown): Promise<void>;
  readonly size: number;
  /** How many were ended because nobody used them. */
  readonly evicted: number;
  close(): Promise<void>;
}

export function createSessions({
  build,
  pages,
  fanOut,
  clock,
  log,
  limits,
}: {
  readonly build: BuildInstance;
  readonly pages: ToolPages;
  readonly fanOut: FanOut;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
}): Sessions {
  const sessions = new Map<string, Session>();
  const perPrincipal = new Map<string, number>();
  let evicted = 0;
  let sweep: Cancel | undefined;

  function full(principal: string): boolean {
    return sessions.size >= limits.sessions || (perPrincipal.get(principal) ?? 0) >= limits.sessionsPerPrincipal;
  }

  function remember(session: Session, leave: Cancel): void {
    sessions.set(session.id, session);
    perPrincipal.set(session.principal, (perPrincipal.get(session.principal) ?? 0) + 1);
    session.server.onclose = () => {
      leave();
      if (!sessions.delete(session.id)) return;
      const left = (perPrincipal.get(session.principal) ?? 1) - 1;
      if (left > 0) perPrincipal.set(session.principal, left);
      else perPrincipal.delete(session.principal);
    };
    sweep ??= clock.timer(limits.sessionIdle, evictIdle);
  }

  function evictIdle(): void {
    sweep = undefined;
    const now = clock.monotonic();
    let nextDue = Number.POSITIVE_INFINITY;
    for (const session of sessions.values()) {
      const idleAt = session.busy > 0 ? now + limits.sessionIdle : session.lastSeen + limits.sessionIdle;
      const due = Math.min(idleAt, session.openedAt + limits.sessionLifetime);
      if (due > now) {
        nextDue = Math.min(nextDue, due);
        continue;
      }
      evicted++;
      void end(session);
    }
    // At most one sweep a second, however many sessions fall due one after the other.
    if (nextDue < Number.POSITIVE_INFINITY) sweep = clock.timer(millis(Math.max(1_000, nextDue - now)), evictIdle);
  }

  async function end(session: Session): Promise<void> {
    await session.server.close().catch((fault: unknown) => log.error("A session did not close cleanly.", fault));
  }

  async function answer(session: Session, exchange: Exchange, body: unknown): Promise<void> {
    const { req, res, identity } = exchange;
    session.busy++;
    session.lastSeen = clock.monotonic();
    try {
      const options = { authInfo: toAuthInfo(identity), ...(body === undefined ? {} : { parsedBody: body }) };
      const response = await session.transport.handleRequest(toWebRequest(req, res), options);
      const written = await writeResponse(response, res, limits.unreadBytes);
      if (written === "cut") log.warn("A stream was cut because its reader stalled.", { session: session.id });
    } finally {
      session.busy--;
      session.lastSeen = clock.monotonic();
    }
  }

  return {
    async open(exchange, body) {
      const { identity, window, res } = exchange;
      if (full(identity.principal)) {
        return sendRpcFault(res, {
          status: 429,
          code: -32000,
          message: "Too many sessions",
          headers: { "Retry-After": 60 },
        });
      }
      let opened = false;
      const subscriptions = new Set<string>();
      const server = build({ era: "legacy", identity, window, subscriptions });
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        keepAliveMs: limits.streamKeepAlive,
        maxRequestBodySize: limits.bodyBytes,
        onsessioninitialized: (id) => {
          const at = clock.monotonic();
          const session: Session = {
            id,
            principal: identity.principal,
            transport,
            server,
            openedAt: at,
            lastSeen: at,
            busy: 0,
          };
          opened = true;
          remember(session, fanOut.join(createLegacyListener({ server, subscriptions, pages, identity, window })));
        },
      });
      transport.onerror = (error) => log.debug("A 2025 request was refused.", { reason: error.message });
      await server.connect(transport);
      const request = toWebRequest(exchange.req, res);
      const response = await transport.handleRequest(request, { authInfo: toAuthInfo(identity), parsedBody: body });
      if (!opened) await server.close();
      await writeResponse(response, res, limits.unreadBytes);
    },
    async serve(exchange, id, body) {
      const { req, res, identity } = exchange;
      const session = sessions.get(id);
      if (session === undefined || session.principal !== identity.principal) {
        return sendRpcFault(res, { status: 404, code: -32001, message: "Session not found" });
      }
      if (req.method !== "GET") return answer(session, exchange, body);
      // A half-dead connection would keep the only place; the stream asked for last is the one somebody reads.
      if (req.headers["last-event-id"] === undefined) session.transport.closeStandaloneSSEStream();
      const atExpiry =
        identity.expiresAt === undefined
          ? undefined
          : clock.timer(millis(Math.max(0, identity.expiresAt - clock.now())), () => res.end());
      await answer(session, exchange, body).finally(() => atExpiry?.());
    },
    get size() {
      return sessions.size;
    },
    get evicted() {
      return evicted;
    },
    async close() {
      sweep?.();
      sweep = undefined;
      await Promise.all([...sessions.values()].map(end));
    },
  };
}
