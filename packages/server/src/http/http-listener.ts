import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Limits } from "../limits/limits.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { shellError } from "../shell-errors.ts";

export interface ListenAt {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The setting a person would change when the port is taken. */
  readonly setting?: string;
  /** The one toolset it shows, at `/mcp`. Absent: everything, at all addresses. */
  readonly toolset?: string;
  /** Encrypts with this certificate chain and key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Something in front of it encrypts and keeps strangers out. */
  readonly trustedProxy?: boolean;
  /** Plain HTTP off loopback, because somebody accepts the risk. */
  readonly insecure?: boolean;
}

export interface HttpListener {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** A server of Node's own with tightened time-outs. */
export async function startHttpListener({
  at,
  onRequest,
  limits,
}: {
  readonly at: ListenAt;
  onRequest(req: IncomingMessage, res: ServerResponse): void;
  readonly limits: Limits;
}): Promise<HttpListener> {
  const server = create(at, limits, oneAtATime(onRequest, limits.requestsAhead));
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
  { headerBytes }: Limits,
  onRequest: (req: IncomingMessage, res: ServerResponse) => void,
): Server | TlsServer {
  if (tls === undefined) return createServer({ maxHeaderSize: headerBytes }, onRequest);
  try {
    return createTlsServer({ ...tls, maxHeaderSize: headerBytes }, onRequest);
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
