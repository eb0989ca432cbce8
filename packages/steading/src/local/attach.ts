import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

/**
 * Joins standard input and output to an open connection, byte by byte, until either end is done. Half-closes first, so
 * that answers still under way arrive.
 */
export function attach({
  socket,
  input,
  output,
  stop,
}: {
  readonly socket: Socket;
  readonly input: Readable;
  readonly output: Writable;
  readonly stop: AbortSignal;
}): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) return resolve();
    const leave = (): void => void socket.destroy();
    if (stop.aborted) leave();
    stop.addEventListener("abort", leave, { once: true });
    output.on("error", leave);
    socket.on("close", () => {
      stop.removeEventListener("abort", leave);
      output.off("error", leave);
      input.unpipe(socket);
      resolve();
    });
    input.pipe(socket);
    socket.pipe(output, { end: false });
  });
}
