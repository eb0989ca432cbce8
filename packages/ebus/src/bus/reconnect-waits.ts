import { millis, seconds, type Duration } from "@steading/kernel";

const QUICK_TRIES = 3;
const QUICK = seconds(2);
const FIRST = seconds(1);
const MOST = seconds(30);

export interface ReconnectWaits {
  next(): Duration;
  /** The bus was heard: start again from the beginning. */
  reset(): void;
}

/** Three times two seconds, for a cable that was moved; then from one second doubling to thirty, without end. */
export function createReconnectWaits(): ReconnectWaits {
  let failures = 0;
  return {
    next() {
      failures += 1;
      if (failures <= QUICK_TRIES) return QUICK;
      return millis(Math.min(MOST, FIRST * 2 ** Math.min(failures - QUICK_TRIES - 1, 10)));
    },
    reset() {
      failures = 0;
    },
  };
}
