import { millis, type Cancel, type Clock } from "@steading/kernel";
import { afterArrivals } from "../adapters/after-arrivals.ts";
import { NO_SIGNAL, SIGNAL_LOST } from "./timing.ts";

export type SignalState = "ok" | "lost" | "none";

/** Is somebody making SYN? Without one for 250 ms the signal is lost, for more than a second there is none. */
export interface Signal {
  readonly state: SignalState;
  onSyn(): void;
  /** While a telegram of ours runs there is no SYN by rule, and a slow adapter may stretch it. */
  onOwnSymbol(): void;
  stop(): void;
}

export function createSignal({
  clock,
  changed,
}: {
  readonly clock: Clock;
  readonly changed: (state: SignalState) => void;
}): Signal {
  let state: SignalState = "none";
  let last = 0;
  let timer: Cancel | undefined;

  function turn(to: SignalState): void {
    if (state === to) return;
    state = to;
    changed(to);
  }
  // One timer that looks again, instead of one for each of 25 SYN a second.
  function look(): void {
    const silent = clock.monotonic() - last;
    // Strictly more than a second: at a second sharp it is still only lost.
    if (silent > NO_SIGNAL) {
      timer = undefined;
      return turn("none");
    }
    if (silent >= SIGNAL_LOST) turn("lost");
    timer = afterArrivals(clock, millis(silent < SIGNAL_LOST ? SIGNAL_LOST - silent : NO_SIGNAL - silent + 1), look);
  }

  return {
    get state() {
      return state;
    },
    onSyn() {
      last = clock.monotonic();
      turn("ok");
      timer ??= afterArrivals(clock, SIGNAL_LOST, look);
    },
    onOwnSymbol() {
      last = clock.monotonic();
    },
    stop() {
      timer?.();
      timer = undefined;
      turn("none");
    },
  };
}
