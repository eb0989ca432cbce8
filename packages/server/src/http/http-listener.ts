import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { seconds } from "@steading/kernel";
import type { Limits } from "../limits/limits.ts";
import type { ConnectionCount } from "./connection-count.ts";
import type { EdgeCounters } from "./edge-counters.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { markProxied } from "./peer.ts";
import { shellError } from "../shell-errors.ts";

export interface ListenAt {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The setting a person would change when the port is taken. */
  readonly setting?: string;
  /** What it serves: `all`, `mcp`, `mcp:<toolset>`, `<part>-api`; see `readServed`. Absent: all. */
  readonly serve?: readonly string[];
  /** Encrypts with this certificate chain and key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Something in front of it encrypts and keeps strangers out. */
  readonly trustedProxy?: boolean;
  /** Plain HTTP off loopback, because somebody accepts the risk. */
  readonly insecure?: boolean;
}

/** `again` takes the connection back as if it had just come. */
export type OnUpgrade = (req: IncomingMessage, socket: Duplex, head: Buffer, again: () => void) => void;

export interface HttpListener {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** How late a time-out may be noticed. */
const LOOK_EVERY = seconds(1);

/** A server of Node's own with tightened time-outs. */
export async function startHttpListener({
  at,
  onRequest,
  onUpgrade,
  limits,
  edge,
  connections,
}: {
  readonly at: ListenAt;
  onRequest(req: IncomingMessage, res: ServerResponse): void;
  /** Absent: nobody can change to another protocol here. */
  readonly onUpgrade?: OnUpgrade | undefined;
  readonly limits: Limits;
  readonly edge: EdgeCounters;
  readonly connections: ConnectionCount;
}): Promise<HttpListener> {
  const tooFarAhead = (): void => edge.count("too_far_ahead");
  const server = create(at, limits, oneAtATime(onRequest, limits.requestsAhead, tooFarAhead));
  const arrives = at.tls === undefined ? "connection" : "secureConnection";
  if (onUpgrade !== undefined) {
    server.on("upgrade", (req, socket, head) => onUpgrade(req, socket, head, () => server.emit(arrives, socket)));
  }
  connections.watch(server, at.trustedProxy ?? false);
  if (at.trustedProxy === true) server.on(arrives, markProxied);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => refuseMalformed(error, socket, edge));
  server.headersTimeout = limits.headersTimeout;
  server.requestTimeout = limits.requestTimeout;
  // Node's five seconds break clients that keep a pool.
  server.keepAliveTimeout = limits.keepAliveTimeout;
  await listen(server, at);
  const { port } = server.address() as AddressInfo; // not a pipe: we asked for host and port
  const host = at.host.includes(":") ? `[${at.host}]` : at.host;
  return {
    url: `${at.tls === undefined ? "http" : "https"}://${host}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function create(
  { tls, setting }: ListenAt,
  { headerBytes, headersTimeout }: Limits,
  onRequest: (req: IncomingMessage, res: ServerResponse) => void,
): Server | TlsServer {
  const options = {
    maxHeaderSize: headerBytes,
    // Node looks at its time-outs every half minute unless told otherwise, and each would be that much longer.
    connectionsCheckingInterval: Math.min(LOOK_EVERY, headersTimeout),
  };
  if (tls === undefined) return createServer(options, onRequest);
  try {
    // A handshake is what comes before headers; Node would wait two minutes for it.
    return createTlsServer({ ...tls, ...options, handshakeTimeout: headersTimeout }, onRequest);
  } catch (cause) {
    const sentence = "The certificate and the key of a listener do not read, or do not belong together.";
    throw shellError("LISTEN_REFUSED", sentence, { cause, details: { setting: setting ?? "listen[].tls" } });
  }
}

function listen(
  server: Server | TlsServer,
  { host, port, setting = "listen[].port (or --port)" }: ListenAt,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const details = { host, port, setting };
      reject(
        cause.code === "EADDRINUSE"
          ? shellError("PORT_TAKEN", `Port ${port} is taken; set ${setting} or stop the other process.`, {
              cause,
              details,
            })
          : shellError("LISTEN_REFUSED", `Cannot listen on ${host}:${port}; check ${setting}.`, { cause, details }),
      );
    });
    server.listen({ host, port }, resolve);
  });
}

/** Says what Node would say itself, and counts it. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex, edge: EdgeCounters): void {
  // A client that hung up was not refused, and one that goes on after it was is not refused again.
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const timedOut = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  edge.count(timedOut ? "timed_out" : "malformed");
  const tooManyHeaders = error.code === "HPE_HEADER_OVERFLOW";
  const status = timedOut
    ? "408 Request Timeout"
    : tooManyHeaders
      ? "431 Request Header Fields Too Large"
      : "400 Bad Request";
  // Not only ended: Node's connections stay half open until the client hangs up too, and this one may never do so.
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
}
