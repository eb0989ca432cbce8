import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Cancel, Clock, Log } from "@steading/kernel";
import type { StreamGuard } from "../auth/stream-guard.ts";
import type { FanOut } from "../changes/fan-out.ts";
import type { MakePaced } from "../changes/paced.ts";
import type { HotSessions } from "../hot/hot-sessions.ts";
import { sendRpcFault } from "../http/respond.ts";
import type { Seats } from "../limits/call-seats.ts";
import type { Limits } from "../limits/limits.ts";
import type { Places } from "../limits/places.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import type { BuildInstance } from "./build-instance.ts";
import { createEventMemory, isOfOwnStream } from "./event-store.ts";
import type { Exchange } from "./exchange.ts";
import { toAuthInfo } from "./identity.ts";
import { createInstanceListener, type InstanceListener } from "./instance-listener.ts";
import { createSessionHouse, type Housed } from "./session-house.ts";
import { createUnanswered, type Unanswered } from "./unanswered.ts";
import { toWebRequest } from "./web-request.ts";
import { writeResponse } from "./write-response.ts";

interface Session extends Housed {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly listener: InstanceListener;
  readonly unanswered: Unanswered;
  /** Open streams of its own: one, or two while the later replaces the earlier. */
  streams: number;
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
  paced,
  guard,
  streamPlaces,
  clock,
  log,
  limits,
  giveWay,
  plainAnswers,
  hot,
}: {
  readonly build: BuildInstance;
  readonly pages: ToolPages;
  readonly fanOut: FanOut;
  readonly paced: MakePaced;
  readonly guard: StreamGuard;
  readonly streamPlaces: Places;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  /** A full house makes room for a newcomer, instead of turning it away. */
  readonly giveWay: boolean;
  /** JSON, where it would else be a stream of one event. */
  readonly plainAnswers: boolean;
  /** Absent: every call goes through its session's instance. */
  readonly hot?: HotSessions | undefined;
}): Sessions {
  const house = createSessionHouse<Session>({ clock, limits, giveWay });
  const memory = createEventMemory(limits);
  let cut = 0;

  function found(exchange: Exchange, id: string): Session | undefined {
    const session = house.get(id);
    if (session?.principal === exchange.identity.principal) return session;
    sendRpcFault(exchange.res, NOT_FOUND);
    return undefined;
  }

  async function answer(
    session: Session,
    { req, res, identity }: Exchange,
    { seats, body, onStream }: { seats?: Seats; body?: unknown; onStream?(): void } = {},
  ): Promise<void> {
    session.busy++;
    session.lastSeen = clock.monotonic();
    try {
      const options = { authInfo: toAuthInfo(identity), ...(body === undefined ? {} : { parsedBody: body }) };
      const handling = session.transport.handleRequest(toWebRequest(req, res, seats), options);
      // A DELETE ends the session before it is answered.
      const response = await (req.method === "POST" ? session.unanswered.wait(handling, res) : handling);
      if (response === undefined) return res.destroyed ? undefined : sendRpcFault(res, NOT_FOUND);
      if (response.status === 200) onStream?.();
      if ((await writeResponse(response, res, limits.unreadBytes)) === "cut") {
        cut++;
        log.warn("A stream was cut because its reader stalled.", { session: session.id });
      }
    } finally {
      session.busy--;
      session.lastSeen = clock.monotonic();
    }
  }

  async function answerSoon(session: Session, { res }: Exchange, answering: Promise<() => void>): Promise<void> {
    session.busy++;
    session.lastSeen = clock.monotonic();
    try {
      const send = await session.unanswered.wait(answering, res);
      if (res.destroyed) return;
      if (send === undefined) sendRpcFault(res, NOT_FOUND);
      else send();
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
    const lastEvent = req.headers["last-event-id"];
    const isOwn = typeof lastEvent !== "string" || isOfOwnStream(lastEvent);
    // A half-dead connection would keep the only place; the stream asked for last is the one somebody reads.
    if (isOwn) session.transport.closeStandaloneSSEStream();
    const letGo = guard.hold({ identity, token, end: () => res.end() });
    res.once("close", () => {
      leave();
      letGo();
    });
    await answer(session, exchange, isOwn ? { onStream: () => hearOn(session, res) } : {});
  }

  /** While no stream is open the last update of each resource is kept for the next. */
  function hearOn(session: Session, res: ServerResponse): void {
    if (res.destroyed) return;
    session.streams++;
    session.listener.resume();
    res.once("close", () => {
      session.streams--;
      if (session.streams === 0) session.listener.pause();
    });
  }

  return {
    async open(exchange, body) {
      const { identity, window, req, res } = exchange;
      const leave = await house.take(identity.principal);
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
      const unanswered = createUnanswered();
      const end = (): Promise<void> =>
        server.close().catch((fault: unknown) => log.error("A session did not close cleanly.", fault));
      let stopListening: Cancel | undefined;
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore,
        retryInterval: limits.streamRetry,
        keepAliveMs: limits.streamKeepAlive,
        maxRequestBodySize: limits.bodyBytes,
        enableJsonResponse: plainAnswers,
        onsessioninitialized: (id) => {
          const at = clock.monotonic();
          const place = { server, subscriptions, pages, paced, identity, window };
          const listener = createInstanceListener({ ...place, paused: true });
          const leaveFanOut = fanOut.join(listener);
          stopListening = () => {
            leaveFanOut();
            listener.stop();
          };
          house.add({
            id,
            principal: identity.principal,
            transport,
            end,
            listener,
            unanswered,
            openedAt: at,
            lastSeen: at,
            busy: 0,
            streams: 0,
          });
        },
      });
      transport.onerror = (error) => log.debug("A 2025 request was refused.", { reason: error.message });
      server.onclose = () => {
        stopListening?.();
        unanswered.end();
        memory.release(eventStore);
        leave();
        if (transport.sessionId !== undefined) house.remove(transport.sessionId);
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
      if (session === undefined) return;
      const taken = hot?.take(exchange, id, body, seats);
      await (taken === undefined ? answer(session, exchange, { seats, body }) : answerSoon(session, exchange, taken));
    },
    async getOrDelete(exchange, id) {
      const session = found(exchange, id);
      if (session === undefined) return;
      if (exchange.req.method === "GET") await streamTo(session, exchange);
      else await answer(session, exchange);
    },
    get size() {
      return house.size;
    },
    get evicted() {
      return house.evicted;
    },
    get gaveWay() {
      return house.gaveWay;
    },
    get cut() {
      return cut;
    },
    close: () => house.close(),
  };
}

const NOT_FOUND = { status: 404, code: -32001, message: "Session not found" } as const;
