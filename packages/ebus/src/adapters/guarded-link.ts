import type { Cancel, Clock, Duration } from "@steading/kernel";
import type { Link } from "./link.ts";

/** A link and a clock for one session, in which no fault of the session's can reach the process. */
export interface GuardedLink {
  readonly link: Link;
  readonly clock: Clock;
}

/**
 * What is thrown while a piece is read, a timer fires or a byte is written would otherwise surface in an event of the
 * socket and end the whole process. Here it ends the link, and a link that ended is made again.
 */
export function guardLink({
  link,
  clock,
  failed,
}: {
  readonly link: Link;
  readonly clock: Clock;
  /** Told once, before the link is closed. */
  readonly failed: (cause: unknown) => void;
}): GuardedLink {
  let over = false;

  function guarded<T extends readonly unknown[]>(run: (...given: T) => void): (...given: T) => void {
    return (...given) => {
      // A session that went wrong halfway says nothing sensible any more, until it is closed.
      if (over) return;
      try {
        run(...given);
      } catch (cause) {
        over = true;
        failed(cause);
        link.close();
      }
    };
  }

  return {
    link: {
      write: guarded((bytes: Uint8Array) => link.write(bytes)),
      onPiece: (listener) => link.onPiece(guarded(listener)),
      onEnd: (listener) => link.onEnd(listener),
      close: () => link.close(),
    },
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (duration, signal) => clock.sleep(duration, signal),
      timer: (wait: Duration, fire: () => void): Cancel => clock.timer(wait, guarded(fire)),
    },
  };
}
