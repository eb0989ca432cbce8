import { connect } from "node:net";
import type { Dial, Wire } from "./wire.ts";

/** Dials a TCP port. */
export function createTcpDial({ host, port }: { readonly host: string; readonly port: number }): Dial {
  return (signal) =>
    new Promise<Wire>((resolve, reject) => {
      signal.throwIfAborted();
      // Nagle's algorithm would hold a two-byte command back until the previous answer is acknowledged.
      const socket = connect({ host, port, noDelay: true, keepAlive: true });
      let ended: { readonly cause?: Error } | undefined;
      let onEnd: ((cause?: Error) => void) | undefined;
      let failure: Error | undefined;

      const abort = (): void => void socket.destroy(new Error("The attempt to connect was given up."));
      signal.addEventListener("abort", abort, { once: true });

      socket.on("error", (error) => (failure = error));
      // A lamp that closes its half has nothing more to say; keeping ours open would only delay the reconnect.
      socket.on("end", () => socket.destroy());
      socket.on("close", () => {
        signal.removeEventListener("abort", abort);
        ended = failure ? { cause: failure } : {};
        reject(failure ?? new Error("The connection was closed before it was open."));
        onEnd?.(failure);
      });
      socket.once("connect", () => {
        signal.removeEventListener("abort", abort);
        resolve({
          write: (bytes) => void socket.write(bytes),
          onPiece: (listener) => void socket.on("data", listener),
          onEnd: (listener) => {
            onEnd = listener;
            if (ended) listener(ended.cause);
          },
          close: () => void socket.destroy(),
        });
      });
    });
}
