import type { Clock } from "@steading/kernel";

/**
 * The time that writes are stamped with. Reading the clock costs more than a write, so it is read once per batch, and
 * otherwise once per uninterrupted run of the program.
 */
export interface TickingTime {
  now(): number;
  /** A batch begins: it gets a time of its own. */
  renew(): void;
}

const UNKNOWN = -1;

export function createTickingTime(clock: Pick<Clock, "now">): TickingTime {
  let present = UNKNOWN;
  let willForget = false;

  function forget(): void {
    willForget = false;
    present = UNKNOWN;
  }

  return {
    now() {
      if (present !== UNKNOWN) return present;
      present = clock.now();
      if (!willForget) {
        willForget = true;
        queueMicrotask(forget);
      }
      return present;
    },
    renew() {
      present = UNKNOWN;
    },
  };
}
