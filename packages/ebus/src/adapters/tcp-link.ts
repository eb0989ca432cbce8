import { connect } from "node:net";
import { createLinkEnd, type Dial, type Link } from "./link.ts";

/** Dials a TCP port. */
export function createTcpDial({ host, port }: { readonly host: string; readonly port: number }): Dial {
  return (signal) =>
    new Promise<Link>((resolve, reject) => {
      signal.throwIfAborted();
      // Nagle's algorithm would hold a symbol back until the one before it is acknowledged, and every symbol waits for its echo.
      const socket = connect({ host, port, noDelay: true, keepAlive: true });
      const end = createLinkEnd();
      let failure: Error | undefined;
      const abort = (): void => void socket.destroy(new Error("The attempt to connect was given up."));
      signal.addEventListener("abort", abort, { once: true });
      socket.on("error", (error) => (failure = error));
      // An adapter that closes its half has nothing more to say; keeping ours open would only delay the reconnect.
      socket.on("end", () => socket.destroy());
      socket.on("close", () => {
        signal.removeEventListener("abort", abort);
        reject(failure ?? new Error("The connection was closed before it was open."));
        end.tell(failure);
      });
      socket.once("connect", () => {
        signal.removeEventListener("abort", abort);
        resolve({
          write: (bytes) => void socket.write(bytes),
          onPiece: (listener) => void socket.on("data", listener),
          onEnd: end.onEnd,
          close: () => void socket.destroy(),
        });
      });
    });
}
