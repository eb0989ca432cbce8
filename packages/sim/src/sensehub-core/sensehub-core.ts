import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createLampWaiters as createWaiters } from "../lamp-waiters.ts";
import { createCoreKnobs, type CoreKnobs } from "./core-knobs.ts";
import { createCoreLog, type CoreRequest } from "./core-log.ts";
import { answerCall } from "./answer-call.ts";
import { createCoreSessions } from "./core-sessions.ts";
import { createCoreSite, type CoreSite } from "./core-site.ts";

export interface SenseHubCoreOptions {
  /** Epoch milliseconds. The machine's clock unless given. */
  readonly now?: () => number;
  /** Requests that the log keeps. Default 10 000. */
  readonly logLimit?: number;
}

/** A SenseHub core over real sockets that answers as the reference does, faults included. */
export interface SenseHubCore {
  /** Listens on 127.0.0.1, the second time at the same port; resolves with its address. */
  start(): Promise<string>;
  /** The process is gone: nobody listens, what it knows stays. */
  stop(): Promise<void>;
  readonly knobs: CoreKnobs & { reset(): void };
  /** Its rows; a test may change them. */
  readonly site: CoreSite;
  /** Ends every session; tokens look as good as before. */
  expireSessions(): void;
  readonly requests: readonly CoreRequest[];
  readonly requestsDropped: number;
  /** How often each call was made, as in `{ "GET /api/equipment/:id/history": 2 }`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly connections: number;
  /** Resolves as soon as the predicate holds; it is asked at once and after every request. */
  waitFor(predicate: (core: SenseHubCore) => boolean, signal?: AbortSignal): Promise<void>;
}

/** The reference's own limit of a JSON body. */
const BODY_BYTES = 100_000;
const SECRET = "a key of the fake core that signs nothing else";

export function createSenseHubCore({ now = Date.now, logLimit = 10_000 }: SenseHubCoreOptions = {}): SenseHubCore {
  const knobs = createCoreKnobs();
  const site = createCoreSite(now());
  const sessions = createCoreSessions({ secret: SECRET, now });
  const log = createCoreLog({ limit: logLimit });
  const waiters = createWaiters();
  let server: Server | undefined;
  let port = 0;
  let connections = 0;

  function note(request: Omit<CoreRequest, "order">): void {
    log.add(request);
    waiters.check();
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const came = { method, url, authorization: headers.authorization };
    const body = await readBody(request);
    if (knobs.down) {
      note({ ...came, body: body ?? "", status: undefined });
      request.socket.destroy();
      return;
    }
    const { status, text } = answerCall({ ...came, body, site, knobs, sessions, now: now() });
    const isDropped = knobs.hangUp;
    note({ ...came, body: body ?? "", status: isDropped ? undefined : status });
    if (knobs.slow > 0) await pause(knobs.slow, response);
    if (isDropped) return void request.socket.destroy();
    response.writeHead(status, {
      "Content-Type": "application/json; charset=utf-8",
      "Access-Control-Allow-Origin": "*",
    });
    response.end(text);
  }

  const core: SenseHubCore = {
    async start() {
      const listening = createServer((request, response) => {
        // Whoever went away before the end of the body gets no answer, and nobody else is harmed.
        serve(request, response).catch(() => request.socket.destroy());
      });
      listening.on("connection", () => {
        connections += 1;
      });
      listening.listen({ host: "127.0.0.1", port });
      await once(listening, "listening");
      server = listening;
      ({ port } = listening.address() as AddressInfo); // it listens on a port, not on a path
      return `http://127.0.0.1:${port}`;
    },
    async stop() {
      const stopping = server;
      server = undefined;
      if (!stopping) return;
      const closed = once(stopping, "close");
      stopping.close();
      stopping.closeAllConnections();
      await closed;
    },
    knobs,
    site,
    expireSessions: () => sessions.expireAll(),
    get requests() {
      return log.requests;
    },
    get requestsDropped() {
      return log.dropped;
    },
    get counts() {
      return log.counts;
    },
    get connections() {
      return connections;
    },
    waitFor: (predicate, signal) => waiters.wait(() => predicate(core), signal),
  };
  return core;
}

/** Undefined when it is longer than the reference takes. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length <= BODY_BYTES) pieces.push(piece);
  }
  return length > BODY_BYTES ? undefined : Buffer.concat(pieces).toString("utf8");
}

/** Ends early when the caller has gone away, so that a stopped core leaves no timer behind. */
function pause(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    response.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
