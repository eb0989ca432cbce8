import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import {
  SteadingError,
  type Caller,
  type Cancel,
  type Clock,
  type Log,
  type SocketHandlers,
  type SocketRoute,
} from "@steading/kernel";
import type { StreamGuard } from "../auth/stream-guard.ts";
import { addressOf } from "../http/peer.ts";
import { createPlaces } from "../limits/places.ts";
import { createOpenSocket, type OpenSocket } from "./open-socket.ts";
import { plainHeaders } from "./plain-headers.ts";
import { refuseUpgrade } from "./refuse-upgrade.ts";
import type { RouteCaller, RouteGate } from "./route-caller.ts";
import { failureBody, failureOf } from "./route-failure.ts";
import type { RouteLimits } from "./route-limits.ts";
import type { RouteSet } from "./route-sets.ts";
import { withinDeadline } from "./within-deadline.ts";

export interface SocketGateCounters {
  readonly opened: number;
  readonly refused: number;
  readonly slow: number;
  readonly open: number;
}

/** Lets WebSockets in, after asking who they are. */
export interface SocketGate {
  upgrade(asked: { req: IncomingMessage; socket: Duplex; head: Buffer; set: RouteSet; route: SocketRoute }): void;
  close(): Promise<void>;
  readonly counters: SocketGateCounters;
}

const BEARER = "bearer";
/** A token that says nothing about anybody here. */
const NOT_OURS: ReadonlySet<string> = new Set(["UNAUTHENTICATED", "ACCESS_DENIED", "SCOPE_MISSING"]);

/** As whose a socket is counted; undefined: nobody's. */
interface Counted {
  principal: string | undefined;
  release: Cancel;
}

interface AskedBy {
  readonly who: RouteCaller | undefined;
  readonly protocols: readonly string[];
  readonly address: string;
  identify(token: string): Promise<Caller | undefined>;
}

export function createSocketGate({
  gate,
  guard,
  clock,
  log,
  limits,
}: {
  readonly gate: RouteGate;
  readonly guard: StreamGuard;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: RouteLimits;
}): SocketGate {
  const bounds = { total: limits.sockets, perPrincipal: limits.socketsPerPrincipal };
  const places = createPlaces(bounds);
  /** Apart, so that nobody without a credential of ours can keep those out who have one. */
  const strangerPlaces = createPlaces(bounds);
  const servers = new Map<SocketRoute, WebSocketServer>();
  const open = new Set<OpenSocket>();
  let whenEmpty = (): void => {};
  const counters = { opened: 0, refused: 0, slow: 0 };

  function serverFor(route: SocketRoute): WebSocketServer {
    let server = servers.get(route);
    if (server === undefined) {
      const chosen = new Set(route.protocols);
      server = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        perMessageDeflate: false,
        maxPayload: route.maxMessageBytes ?? limits.messageBytes,
        handleProtocols: (offered) => {
          for (const each of offered) if (chosen.has(each)) return each;
          return route.role !== "own" && offered.has(BEARER) ? BEARER : false;
        },
      });
      servers.set(route, server);
    }
    return server;
  }

  type Asked = Parameters<SocketGate["upgrade"]>[0];

  async function letIn({ req, socket, head, set, route }: Asked): Promise<void> {
    const protocols = protocolsOf(req);
    const who = await callerOf(req, route, set, protocols);
    const address = addressOf(req);
    const principal = who === undefined ? await bearerOf(req, set, protocols) : who.known?.principal;
    const place = principal === undefined ? strangerPlaces.take(address) : places.take(principal);
    if (place === undefined) {
      throw new SteadingError("TOO_MANY_CALLS", "Too many sockets are open; try again later.", { retryable: true });
    }
    const channel = createOpenSocket({
      most: route.maxBufferedBytes ?? limits.socketBuffer,
      pingEvery: limits.pingEvery,
      closeTimeout: limits.closeTimeout,
      clock,
      log,
      onSlow: () => void (counters.slow += 1),
      onEnd() {
        place();
        open.delete(channel);
        if (open.size === 0) whenEmpty();
      },
    });
    open.add(channel);
    let handlers: SocketHandlers | undefined;
    try {
      const counted: Counted = { principal, release: place };
      const identify = (token: string): Promise<Caller | undefined> =>
        identified(req, set, { channel, counted }, token);
      handlers = await ask(route, req, channel, { who, protocols, address, identify });
      if (handlers === undefined) throw refusal(route);
    } catch (error) {
      channel.abandon();
      throw error;
    }
    shakeHands({ req, socket, head, route, channel, handlers, who });
  }

  async function callerOf(
    req: IncomingMessage,
    { role }: SocketRoute,
    { part }: RouteSet,
    protocols: readonly string[],
  ): Promise<RouteCaller | undefined> {
    if (role === "own") return undefined;
    return gate.admit(req, { role, part, token: tokenIn(protocols) });
  }

  /** Whose credential of ours came along to a route that looks at credentials itself. A bad one is none. */
  async function bearerOf(
    req: IncomingMessage,
    { part }: RouteSet,
    protocols: readonly string[],
  ): Promise<string | undefined> {
    return (await gate.admit(req, { role: "public", part, token: tokenIn(protocols) })).known?.principal;
  }

  async function identified(
    req: IncomingMessage,
    { part }: RouteSet,
    { channel, counted }: { readonly channel: OpenSocket; readonly counted: Counted },
    token: string,
  ): Promise<Caller | undefined> {
    try {
      const who = await gate.admit(req, { role: "viewer", part, token });
      if (!countAs(who.caller.principal, channel, counted)) {
        channel.close(1013, "Too many sockets are open");
        return undefined;
      }
      endWithCredential(channel, who);
      return who.caller;
    } catch (error) {
      if (error instanceof SteadingError && NOT_OURS.has(error.code)) return undefined;
      throw error;
    }
  }

  /** False: they have as many as they may. */
  function countAs(principal: string, channel: OpenSocket, counted: Counted): boolean {
    if (counted.principal === principal) return true;
    const place = places.take(principal);
    if (place === undefined) return false;
    counted.release();
    counted.principal = principal;
    counted.release = place;
    channel.onEnd(place);
    return true;
  }

  function endWithCredential(channel: OpenSocket, { known, token }: RouteCaller): void {
    if (known === undefined) return;
    const identity = { ...known, transport: "socket" } as const;
    channel.onEnd(guard.hold({ identity, token, end: () => channel.close(1008, "The credential has ended") }));
  }

  function ask(
    route: SocketRoute,
    req: IncomingMessage,
    channel: OpenSocket,
    { who, protocols, address, identify }: AskedBy,
  ): Promise<SocketHandlers | undefined> {
    const request = {
      url: new URL(req.url ?? "/", "ws://hub"),
      headers: plainHeaders(req),
      protocols,
      caller: who?.caller,
      identify,
      remoteAddress: address,
    };
    const left = new AbortController().signal;
    const work = async (): Promise<SocketHandlers | undefined> => route.open(request, channel.socket);
    return withinDeadline({ work, deadline: limits.openTimeout, clock, left, reads: true });
  }

  function shakeHands({
    req,
    socket,
    head,
    route,
    channel,
    handlers,
    who,
  }: Omit<Asked, "set"> & { channel: OpenSocket; handlers: SocketHandlers; who: RouteCaller | undefined }): void {
    // A client that has left, or whose handshake is no good: then nothing is attached.
    const onGone = (): void => channel.abandon(handlers);
    if (socket.destroyed) return onGone();
    socket.once("close", onGone);
    serverFor(route).handleUpgrade(req, socket, head, (ws) => {
      socket.off("close", onGone);
      counters.opened += 1;
      channel.attach(ws, handlers);
      if (who !== undefined) endWithCredential(channel, who);
    });
  }

  return {
    upgrade(asked) {
      const { socket, req, set } = asked;
      // Node has let go of the connection: nobody else listens, and an error that nobody hears ends the process.
      socket.on("error", () => socket.destroy());
      letIn(asked).catch((error: unknown) => {
        counters.refused += 1;
        const failure = failureOf(error, undefined, log);
        refuseUpgrade(socket, req, failure.status, failureBody(failure, set.http, log));
      });
    },
    async close() {
      const empty = new Promise<void>((resolve) => (whenEmpty = resolve));
      for (const each of open) each.close(1001, "The hub stops");
      if (open.size > 0) await empty;
      for (const server of servers.values()) server.close();
      servers.clear();
    },
    get counters() {
      return { ...counters, open: open.size };
    },
  };
}

function refusal({ role }: SocketRoute): SteadingError {
  return role === "own"
    ? new SteadingError("UNAUTHENTICATED", "This address needs a credential.")
    : new SteadingError("ACCESS_DENIED", "This is not for you.");
}

function protocolsOf({ headers }: IncomingMessage): readonly string[] {
  const offered = headers["sec-websocket-protocol"];
  return offered === undefined ? [] : offered.split(",").map((each) => each.trim());
}

/** The token that a browser brings as a subprotocol. */
function tokenIn([first, second]: readonly string[]): string | undefined {
  return first?.toLowerCase() === BEARER ? second : undefined;
}
