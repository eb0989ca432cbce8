import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

export type Detached =
  | { readonly who: "client" }
  /** `unanswered` is all that the client had said when the hub had not answered a byte; undefined when it had. */
  | { readonly who: "hub"; readonly unanswered: Buffer | undefined };

/** A client that says more than this before it hears anything is not kept in memory for a second try. */
const MOST_KEPT = 65_536;

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
}): Promise<Detached> {
  return new Promise((resolve) => {
    if (socket.closed) return resolve({ who: "hub", unanswered: Buffer.alloc(0) });
    let clientLeft = false;
    let said: Buffer[] | undefined = [];
    let length = 0;
    const leave = (): void => {
      clientLeft = true;
      socket.destroy();
    };
    const onEnd = (): void => void (clientLeft = true);
    const forget = (): void => void (said = undefined);
    const remember = (piece: Buffer | string): void => {
      const bytes = Buffer.from(piece);
      length += bytes.length;
      if (length > MOST_KEPT) forget();
      said?.push(bytes);
    };
    if (stop.aborted) leave();
    input.once("end", onEnd).on("data", remember);
    stop.addEventListener("abort", leave, { once: true });
    output.on("error", leave);
    socket.once("data", forget);
    socket.on("close", () => {
      stop.removeEventListener("abort", leave);
      output.off("error", leave);
      input.off("end", onEnd).off("data", remember).unpipe(socket);
      input.pause();
      resolve(clientLeft ? { who: "client" } : { who: "hub", unanswered: said && Buffer.concat(said) });
    });
    input.pipe(socket);
    socket.pipe(output, { end: false });
  });
}
