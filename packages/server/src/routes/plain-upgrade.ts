import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** What belongs to the upgrade and must not be seen twice. */
const LEFT_OUT = new Set(["upgrade", "connection", "http2-settings"]);

/**
 * Some clients offer another protocol (h2c) with every request and are content when nobody takes it up. Node hands
 * over the bare connection for these too, so the request is put back in front of what follows, without its offer, and
 * the connection is served as if it had just come.
 */
export function serveWithoutUpgrade(
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  again: (socket: Duplex) => void,
): void {
  const lines = [`${req.method ?? "GET"} ${req.url ?? "/"} HTTP/${req.httpVersion}`];
  for (let at = 0; at + 1 < req.rawHeaders.length; at += 2) {
    const name = req.rawHeaders[at] ?? "";
    if (!LEFT_OUT.has(name.toLowerCase())) lines.push(`${name}: ${req.rawHeaders[at + 1] ?? ""}`);
  }
  // Header bytes are Latin-1 in Node, and must leave as they came.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  again(socket);
}
