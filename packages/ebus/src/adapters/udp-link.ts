import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import { millis, seconds, type Cancel, type Clock } from "@steading/kernel";
import { createLinkEnd, type Dial, type Link } from "./link.ts";

/** How long the adapter has to answer the greeting, and how long it keeps us (and we keep it) without a word. */
const START_WAIT = seconds(5);
const LEASE = seconds(5);
const GREET_AGAIN = [millis(25), millis(50), millis(100), millis(200)] as const;
const SPREAD = 0.2;
/** Often enough that two lost greetings in a row do not end the lease. */
const RENEW = millis(LEASE / 3);
const NOTHING = new Uint8Array();

/**
 * Raw wire bytes in datagrams. There is no connection: an empty datagram makes us known to the adapter, which is not a
 * byte on the bus, and the link counts as open when something comes back.
 */
export function createUdpDial({
  host,
  port,
  clock,
  random = Math.random,
}: {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly random?: () => number;
}): Dial {
  return (signal) =>
    new Promise<Link>((resolve, reject) => {
      signal.throwIfAborted();
      const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
      const end = createLinkEnd();
      const timers = new Set<Cancel>();
      let lease: Cancel | undefined;
      let open = false;
      let closed = false;
      let onPiece: ((piece: Uint8Array) => void) | undefined;

      function close(cause?: Error): void {
        if (closed) return;
        closed = true;
        signal.removeEventListener("abort", abort);
        for (const cancel of timers) cancel();
        lease?.();
        socket.close();
        reject(cause ?? new Error("The link was closed before it was open."));
        end.tell(cause);
      }
      const abort = (): void => close(new Error("The attempt to connect was given up."));

      function after(wait: number, fire: () => void): void {
        const cancel = clock.timer(millis(wait), () => {
          timers.delete(cancel);
          fire();
        });
        timers.add(cancel);
      }
      function put(bytes: Uint8Array): void {
        // A refused datagram is told through the error event; a lost one by the missing echo.
        if (!closed) socket.send(bytes);
      }
      function renew(): void {
        put(NOTHING);
        after(RENEW, renew);
      }
      function holdLease(): void {
        lease?.();
        lease = clock.timer(LEASE, () => close(new Error(`The adapter was silent for ${LEASE} ms.`)));
      }

      signal.addEventListener("abort", abort, { once: true });
      socket.on("error", close);
      socket.on("message", (piece) => {
        holdLease();
        // What arrives before the session listens is a SYN or two, and the decoder waits for the next.
        onPiece?.(piece);
        if (open) return;
        open = true;
        for (const cancel of timers) cancel();
        timers.clear();
        signal.removeEventListener("abort", abort);
        after(RENEW, renew);
        resolve({
          write: put,
          onPiece: (listener) => (onPiece = listener),
          onEnd: end.onEnd,
          close: () => close(),
        });
      });
      // Connected, so that datagrams of strangers never reach us.
      socket.connect(port, host, () => {
        if (closed) return;
        put(NOTHING);
        let wait = 0;
        for (const pause of GREET_AGAIN) {
          wait += pause * (1 + (random() * 2 - 1) * SPREAD);
          after(wait, () => put(NOTHING));
        }
        after(START_WAIT, () => close(new Error(`Nobody answered at ${host}:${port} within ${START_WAIT} ms.`)));
      });
    });
}
