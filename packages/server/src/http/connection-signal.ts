import type { Socket } from "node:net";

const signals = new WeakMap<Socket, AbortSignal>();

/**
 * Aborts when the connection closes. One for all requests of a connection, which come one after the other: making one
 * for each would cost more than all checks together. Whoever listens to it must stop listening when its request is over.
 */
export function connectionSignal(socket: Socket): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const aborter = new AbortController();
  socket.once("close", () => aborter.abort(new Error("The client closed the connection")));
  signals.set(socket, aborter.signal);
  return aborter.signal;
}
