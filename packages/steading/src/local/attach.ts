import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

/**
 * Joins standard input and output to an open connection, byte by byte, until either end is done, and says which was.
 * Half-closes first, so that answers still under way arrive.
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
}): Promise<"client left" | "hub left"> {
  return new Promise((resolve) => {
    if (socket.closed) return resolve("hub left");
    let clientLeft = false;
    const leave = (): void => {
      clientLeft = true;
      socket.destroy();
    };
    if (stop.aborted) leave();
    input.once("end", () => (clientLeft = true));
    stop.addEventListener("abort", leave, { once: true });
    output.on("error", leave);
    socket.on("close", () => {
      stop.removeEventListener("abort", leave);
      output.off("error", leave);
      input.unpipe(socket);
      resolve(clientLeft ? "client left" : "hub left");
    });
    input.pipe(socket);
    socket.pipe(output, { end: false });
  });
}
