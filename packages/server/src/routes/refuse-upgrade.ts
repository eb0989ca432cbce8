import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** An answer in HTTP on a connection that asked to become something else. */
export function refuseUpgrade(socket: Duplex, { httpVersion }: IncomingMessage, status: number, body: string): void {
  if (!socket.writable) return void socket.destroy();
  // Node has let go of the connection: nobody else listens, and an error that nobody hears ends the process.
  socket.on("error", () => socket.destroy());
  const challenge = status === 401 ? "WWW-Authenticate: Bearer\r\n" : "";
  socket.end(
    `HTTP/${httpVersion} ${status} ${STATUS_CODES[status] ?? "Error"}\r\nConnection: close\r\n${challenge}` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    // A client that never hangs up would keep it half open.
    () => socket.destroy(),
  );
}
