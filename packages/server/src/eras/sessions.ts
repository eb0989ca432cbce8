import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport, type Server } from "@modelcontextprotocol/server";
import { millis, type Cancel, type Clock, type Log } from "@steading/kernel";
import type { StreamGuard } from "../auth/stream-guard.ts";
import type { FanOut } from "../changes/fan-out.ts";
import { sendRpcFault } from "../http/respond.ts";
import type { Seats } from "../limits/call-seats.ts";
import type { Limits } from "../limits/limits.ts";
import { createPlaces, type Places } from "../limits/places.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import type { BuildInstance } from "./build-instance.ts";
import { createEventMemory } from "./event-store.ts";
import type { Exchange } from "./exchange.ts";
import { toAuthInfo } from "./identity.ts";
import { createInstanceListener } from "./instance-listener.ts";
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
  /** A message of a session; answers 404 when that is unknown, closed or somebody else's. */
  post(exchange: Exchange, id: string, body: unknown, seats: Seats): Promise<void>;
  /** The session's own stream, or its end. */
  getOrDelete(exchange: Exchange, id: string): Promise<void>;
  readonly size: number;
  /** How many were ended because nobody used them. */
  readonly evicted: number;
  /** How many were ended to make room for another. */
  readonly gaveWay: number;
  /** Streams cut because nobody read them. */
  readonly cut: number;
  close(): Promise<void>;
}

export function createSessions({
  build,
  pages,
  fanOut,
  guard,
  streamPlaces,
  clock,
  log,
  limits,
  giveWay,
}: {
  readonly build: BuildInstance;
  readonly pages: ToolPages;
  readonly fanOut: FanOut;
  readonly guard: StreamGuard;
  readonly streamPlaces: Places;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  /** A full house makes room for a newcomer, instead of turning it away. */
  readonly giveWay: boolean;
}): Sessions {
  const sessions = new Map<string, Session>();
  const places = createPlaces({ total: limits.sessions, perPrincipal: limits.sessionsPerPrincipal });
  const memory = createEventMemory(limits);
  let evicted = 0;
  let gaveWay = 0;
  let cut = 0;
  let sweep: Cancel | undefined;

  function evictIdle(): void {
    sweep = undefined;
    const now = clock.monotonic();
    let nextDue = Number.POSITIVE_INFINITY;
    for (const session of sessions.values()) {
      const idleAt = (session.busy > 0 ? now : session.lastSeen) + limits.sessionIdle;
      const due = Math.min(idleAt, session.openedAt + limits.sessionLifetime);
      if (due > now) {
        nextDue = Math.min(nextDue, due);
        continue;
      }
      evicted++;
      void end(session);
    }
    // At most one sweep a second, however many sessions fall due one after the other.
    if (sessions.size > 0 && nextDue < Number.POSITIVE_INFINITY) {
      sweep = clock.timer(millis(Math.max(1_000, nextDue - now)), evictIdle);
    }
  }

  /** The principal's own sessions make room for it first: nobody can push others out by opening many. */
  async function makeRoom(principal: string): Promise<void> {
    for (let full = places.full(principal); full !== undefined; full = places.full(principal)) {
      const inTheWay = full === "total" ? [...sessions.values()] : ofPrincipal(principal);
      const longestIdle = inTheWay.toSorted(byUse)[0];
      if (longestIdle === undefined) return;
      gaveWay++;
      sessions.delete(longestIdle.id);
      await end(longestIdle);
    }
  }

  function ofPrincipal(principal: string): Session[] {
    return [...sessions.values()].filter((session) => session.principal === principal);
  }

  async function end(session: Session): Promise<void> {
    await session.server.close().catch((fault: unknown) => log.error("A session did not close cleanly.", fault));
  }

  function found(exchange: Exchange, id: string): Session | undefined {
    const session = sessions.get(id);
    if (session?.principal === exchange.identity.principal) return session;
    sendRpcFault(exchange.res, { status: 404, code: -32001, message: "Session not found" });
    return undefined;
  }

  async function answer(
    session: Session,
    { req, res, identity }: Exchange,
    seats?: Seats,
    body?: unknown,
  ): Promise<void> {
    session.busy++;
    session.lastSeen = clock.monotonic();
    try {
      const options = { authInfo: toAuthInfo(identity), ...(body === undefined ? {} : { parsedBody: body }) };
      const response = await session.transport.handleRequest(toWebRequest(req, res, seats), options);
      if ((await writeResponse(response, res, limits.unreadBytes)) === "cut") {
        cut++;
        log.warn("A stream was cut because its reader stalled.", { session: session.id });
      }
    } finally {
      session.busy--;
      session.lastSeen = clock.monotonic();
    }
  }

  async function streamTo(session: Session, exchange: Exchange): Promise<void> {
    const { req, res, identity, token } = exchange;
    const leave = streamPlaces.take(identity.principal);
    if (leave === undefined) {
      return sendRpcFault(res, {
        status: 429,
        code: -32000,
        message: "Too many streams",
        headers: { "Retry-After": 60 },
      });
    }
    // A half-dead connection would keep the only place; the stream asked for last is the one somebody reads.
    if (req.headers["last-event-id"] === undefined) session.transport.closeStandaloneSSEStream();
    const letGo = guard.hold({ identity, token, end: () => res.end() });
    res.once("close", () => {
      leave();
      letGo();
    });
    await answer(session, exchange);
  }

  return {
    async open(exchange, body) {
      const { identity, window, req, res } = exchange;
      if (giveWay) await makeRoom(identity.principal);
      const leave = places.take(identity.principal);
      if (leave === undefined) {
        return sendRpcFault(res, {
          status: 429,
          code: -32000,
          message: "Too many sessions",
          headers: { "Retry-After": 60 },
        });
      }
      const subscriptions = new Set<string>();
      const server = build({ era: "legacy", identity, window, subscriptions });
      const eventStore = memory.open();
      let stopListening: Cancel | undefined;
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore,
        retryInterval: limits.streamRetry,
        keepAliveMs: limits.streamKeepAlive,
        maxRequestBodySize: limits.bodyBytes,
        onsessioninitialized: (id) => {
          const at = clock.monotonic();
          sessions.set(id, {
            id,
            principal: identity.principal,
            transport,
            server,
            openedAt: at,
            lastSeen: at,
            busy: 0,
          });
          stopListening = fanOut.join(createInstanceListener({ server, subscriptions, pages, identity, window }));
          sweep ??= clock.timer(limits.sessionIdle, evictIdle);
        },
      });
      transport.onerror = (error) => log.debug("A 2025 request was refused.", { reason: error.message });
      server.onclose = () => {
        stopListening?.();
        memory.release(eventStore);
        leave();
        if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
      };
      await server.connect(transport);
      const response = await transport.handleRequest(toWebRequest(req, res), {
        authInfo: toAuthInfo(identity),
        parsedBody: body,
      });
      if (transport.sessionId === undefined) await server.close();
      await writeResponse(response, res, limits.unreadBytes);
    },
    async post(exchange, id, body, seats) {
      const session = found(exchange, id);
      if (session !== undefined) await answer(session, exchange, seats, body);
    },
    async getOrDelete(exchange, id) {
      const session = found(exchange, id);
      if (session === undefined) return;
      if (exchange.req.method === "GET") await streamTo(session, exchange);
      else await answer(session, exchange);
    },
    get size() {
      return sessions.size;
    },
    get evicted() {
      return evicted;
    },
    get gaveWay() {
      return gaveWay;
    },
    get cut() {
      return cut;
    },
    async close() {
      sweep?.();
      sweep = undefined;
      await Promise.all([...sessions.values()].map(end));
    },
  };
}

/** Idle ones before those with an open stream or answer, and those unseen for longest first. */
function byUse(a: Session, b: Session): number {
  return Number(a.busy > 0) - Number(b.busy > 0) || a.lastSeen - b.lastSeen;
}
