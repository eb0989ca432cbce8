import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";

/** Scheme and host under which a client sees us: as configured, else as it asked for us. */
export function ownAddress(req: IncomingMessage, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  // The Host header was checked against the allow-list, so it may be repeated.
  return `${req.socket instanceof TLSSocket ? "https" : "http"}://${req.headers.host ?? "localhost"}`;
}
