import type { HouseClock } from "../clock.ts";
import type { PortCounters } from "./port-counters.ts";

/** Messages under way to one host; a host that takes nothing loses the rest, counted. */
const MOST_UNDER_WAY = 4_096;

export interface DelayLine {
  push(bytes: readonly number[]): void;
  close(): void;
}

/** Hands bytes on after the latency of the moment, never out of order. */
export function createDelayLine({
  clock,
  latencyMs,
  counters,
  output,
}: {
  clock: HouseClock;
  latencyMs: () => number;
  counters: PortCounters;
  output: (bytes: readonly number[]) => void;
}): DelayLine {
  const underWay: { readonly bytes: readonly number[]; readonly at: number }[] = [];
  let cancel: (() => void) | undefined;

  function wait(): void {
    const [next] = underWay;
    if (next === undefined || cancel !== undefined) return;
    cancel = clock.timer(Math.max(0, next.at - clock.now()), () => {
      cancel = undefined;
      const due = underWay.shift();
      if (due !== undefined) output(due.bytes);
      wait();
    });
  }

  return {
    push(bytes) {
      const delay = latencyMs();
      if (delay === 0 && underWay.length === 0) return output(bytes);
      if (underWay.length >= MOST_UNDER_WAY) {
        counters.lost += 1;
        return;
      }
      underWay.push({ bytes, at: clock.now() + delay });
      wait();
    },
    close() {
      cancel?.();
      underWay.length = 0;
    },
  };
}
