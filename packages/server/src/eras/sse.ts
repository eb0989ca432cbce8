import { SSEServerTransport } from "@modelcontextprotocol/server-legacy/sse";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { Cancel, Clock, Log } from "@steading/kernel";
import type { Admitted } from "../auth/bearer-gate.ts";
import type { StreamGuard } from "../auth/stream-guard.ts";
import type { FanOut } from "../changes/fan-out.ts";
import type { MakePaced } from "../changes/paced.ts";
import { sendRpcFault, sendText } from "../http/respond.ts";
import type { Seats } from "../limits/call-seats.ts";
import type { Limits } from "../limits/limits.ts";
import type { Places } from "../limits/places.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import type { BuildInstance } from "./build-instance.ts";
import type { Exchange } from "./exchange.ts";
import { toAuthInfo, type Identity } from "./identity.ts";
import { createInstanceListener } from "./instance-listener.ts";
import { toWebRequest } from "./web-request.ts";

interface SseSession {
  readonly transport: SSEServerTransport;
  readonly identity: Identity;
  /** What the stream was opened with. */
  readonly token: string | undefined;
  lastSeen: number;
  close(): Promise<void>;
}

/** The address for messages that the first event names. */
export type SsePath = "/mcp/messages" | "/mcp";

/** The deprecated HTTP+SSE transport of 2024-11-05: a stream for answers, and a second address for messages. */
export interface SseSessions {
  open(exchange: Exchange): Promise<void>;
  /** Whom a message leg without credentials speaks for, where the setting trusts the session id. */
  openerOf(id: string | undefined): Admitted | undefined;
  /** False: there is no such session for this principal. */
  has(id: string, principal: string): boolean;
  post(exchange: Exchange, id: string, body: unknown, seats: Seats): Promise<void>;
  readonly size: number;
  readonly opened: number;
  /** How many were ended to make room for another. */
  readonly gaveWay: number;
  readonly cut: number;
  close(): Promise<void>;
}

export function createSseSessions({
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
  path,
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
  readonly path: SsePath;
}): SseSessions {
  const sessions = new Map<string, SseSession>();
  let opened = 0;
  let cut = 0;
  let gaveWay = 0;

  /** Streams of other kinds stay: whoever opened those can see that they are open. */
  async function takePlace(principal: string): Promise<Cancel | undefined> {
    for (let full = streamPlaces.full(principal); giveWay && full !== undefined; full = streamPlaces.full(principal)) {
      const ofAll = full === "total";
      const unheard = [...sessions.entries()]
        .filter(([, { identity }]) => ofAll || identity.principal === principal)
        .toSorted(([, a], [, b]) => a.lastSeen - b.lastSeen)[0];
      if (unheard === undefined) break;
      gaveWay++;
      sessions.delete(unheard[0]);
      await unheard[1].close().catch(ignore);
    }
    return streamPlaces.take(principal);
  }

  /** The transport neither keeps quiet streams alive nor notices a reader that stalls. */
  function keepAlive(write: (text: string) => void): Cancel {
    let cancel: Cancel;
    const beat = (): void => {
      write(": keepalive\n\n");
      cancel = clock.timer(limits.streamKeepAlive, beat);
    };
    cancel = clock.timer(limits.streamKeepAlive, beat);
    return () => cancel();
  }

  return {
    async open(exchange) {
      const { res, identity, token, window } = exchange;
      const leave = await takePlace(identity.principal);
      if (leave === undefined) {
        return sendRpcFault(res, {
          status: 429,
          code: -32000,
          message: "Too many streams",
          headers: { "Retry-After": 60 },
        });
      }
      const subscriptions = new Set<string>();
      const server = build({ era: "legacy", identity, window, subscriptions });
      const transport = new SSEServerTransport(path, res);
      cutWhenStalled(transport);
      res.setHeader("X-Accel-Buffering", "no");
      opened++;
      sessions.set(transport.sessionId, {
        transport,
        identity,
        token,
        lastSeen: clock.monotonic(),
        close: () => server.close(),
      });
      const stopBeat = keepAlive((text) => res.write(text));
      const listener = createInstanceListener({ server, subscriptions, pages, paced, identity, window });
      const stopListening = fanOut.join(listener);
      const letGo = guard.hold({ identity, token, end: () => void server.close().catch(ignore) });
      server.onclose = () => {
        sessions.delete(transport.sessionId);
        stopBeat();
        stopListening();
        listener.stop();
        letGo();
        leave();
      };
      await server.connect(transport);
      log.debug("A client uses the deprecated HTTP+SSE transport.", { principal: identity.principal });

      function cutWhenStalled(target: SSEServerTransport): void {
        const send = target.send.bind(target);
        target.send = async (message: JSONRPCMessage) => {
          if (res.writableLength > limits.unreadBytes) {
            cut++;
            res.destroy();
            return;
          }
          await send(message);
        };
      }
    },
    openerOf: (id) => (id === undefined ? undefined : sessions.get(id)),
    has: (id, principal) => sessions.get(id)?.identity.principal === principal,
    async post({ req, res, identity }, id, body, seats) {
      const session = sessions.get(id);
      if (session === undefined) return sendRpcFault(res, { status: 404, code: -32001, message: "Session not found" });
      session.lastSeen = clock.monotonic();
      try {
        // The answer travels on the stream; the seat outlives this request with the call that claims it.
        await session.transport.handleMessage(body, {
          request: toWebRequest(req, res, seats),
          authInfo: toAuthInfo(identity),
        });
      } catch {
        return sendRpcFault(res, { status: 400, code: -32600, message: "Not a JSON-RPC message" });
      }
      sendText(res, 202, "text/plain", "Accepted");
    },
    get size() {
      return sessions.size;
    },
    get opened() {
      return opened;
    },
    get gaveWay() {
      return gaveWay;
    },
    get cut() {
      return cut;
    },
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.close().catch(ignore)));
    },
  };
}

/** A stream that is closing has nobody left to tell. */
function ignore(): void {}
