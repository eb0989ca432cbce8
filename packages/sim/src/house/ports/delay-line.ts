import type { HouseClock } from "../clock.ts";

/** Messages under way to one host; a host that takes nothing loses the rest, counted. */
const MOST_UNDER_WAY = 4_096;

export interface DelayLine {
  push(bytes: readonly number[]): void;
  close(): void;
  readonly lost: number;
}

/** Hands bytes on after the latency of the moment, never out of order. */
export function createDelayLine({
  clock,
  latencyMs,
  output,
}: {
  clock: HouseClock;
  latencyMs: () => number;
  output: (bytes: readonly number[]) => void;
}): DelayLine {
  const underWay: { readonly bytes: readonly number[]; readonly at: number }[] = [];
  let cancel: (() => void) | undefined;
  let lost = 0;

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
        lost += 1;
        return;
      }
      underWay.push({ bytes, at: clock.now() + delay });
      wait();
    },
    close() {
      cancel?.();
      underWay.length = 0;
    },
    get lost() {
      return lost;
    },
  };
}
