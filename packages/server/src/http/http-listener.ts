import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
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
  /** Plain HTTP off loopback, because something in front takes care of it. */
  readonly insecure?: boolean;
}

export interface HttpListener {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** A plain `node:http` server with tightened time-outs. */
export async function startHttpListener({
  at,
  onRequest,
  limits,
}: {
  readonly at: ListenAt;
  onRequest(req: IncomingMessage, res: ServerResponse): void;
  readonly limits: Limits;
}): Promise<HttpListener> {
  const server = createServer({ maxHeaderSize: limits.headerBytes }, oneAtATime(onRequest, limits.requestsAhead));
  server.headersTimeout = limits.headersTimeout;
  server.requestTimeout = limits.requestTimeout;
  // Node's five seconds break clients that keep a pool.
  server.keepAliveTimeout = limits.keepAliveTimeout;
  await listen(server, at);
  const { port } = server.address() as AddressInfo; // not a pipe: we asked for host and port
  const host = at.host.includes(":") ? `[${at.host}]` : at.host;
  return {
    url: `http://${host}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, { host, port, setting = "listen[].port (or --port)" }: ListenAt): Promise<void> {
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

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
