import { connect } from "node:net";
import type { Dial, Wire } from "./wire.ts";

/** Dials a TCP port. */
export function createTcpDial({ host, port }: { readonly host: string; readonly port: number }): Dial {
  return (signal) =>
    new Promise<Wire>((resolve, reject) => {
      signal.throwIfAborted();
      // A request is a dozen bytes; Nagle's algorithm would hold it back until the last answer is acknowledged.
      const socket = connect({ host, port, noDelay: true, keepAlive: true });
      const giveUp = (): void => void socket.destroy(new Error("The attempt to connect was given up."));
      signal.addEventListener("abort", giveUp, { once: true });
      let failure: Error | undefined;
      let over = false;
      let onEnd: ((cause?: Error) => void) | undefined;

      socket.on("error", (error) => (failure = error));
      // A gateway that closes its half has nothing more to say; keeping ours open would only delay the next attempt.
      socket.on("end", () => socket.destroy());
      socket.on("close", () => {
        over = true;
        signal.removeEventListener("abort", giveUp);
        reject(failure ?? new Error("The connection was closed before it was open."));
        onEnd?.(failure);
      });
      socket.once("connect", () => {
        signal.removeEventListener("abort", giveUp);
        resolve({
          write: (bytes) => void socket.write(bytes),
          onPiece: (listener) => void socket.on("data", listener),
          onEnd(listener) {
            onEnd = listener;
            if (over) listener(failure);
          },
          close: () => void socket.destroy(),
        });
      });
    });
}
