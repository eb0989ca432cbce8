import { hours, minutes, seconds, type Clock } from "@steading/kernel";

/** For an address that answers others: one question went wrong, or it does not know this one. */
const HEARD_AGAIN = seconds(60);
/** The contract's pace of discovery. */
const SILENT_AGAIN = minutes(10);
const AT_MOST = hours(24);

/** Whom to ask who they are, and when again. At most one entry an address. */
export interface AskedBook {
  due(target: number): boolean;
  found(target: number): void;
  /** It was asked and nobody answered. */
  silent(target: number): void;
  /** Whoever was ever found may have gone or come back: all are due at once. */
  doubtFound(): void;
}

/** A device may be switched on later, so nobody is written off; but each silence doubles the wait, to spare the bus. */
export function createAskedBook({
  clock,
  answers,
}: {
  readonly clock: Clock;
  readonly answers: (target: number) => boolean;
}): AskedBook {
  const known = new Set<number>();
  const onceFound = new Set<number>();
  const silences = new Map<number, { readonly times: number; readonly at: number }>();
  return {
    due(target) {
      if (known.has(target)) return false;
      const silence = silences.get(target);
      if (!silence) return true;
      const first = answers(target) ? HEARD_AGAIN : SILENT_AGAIN;
      return clock.monotonic() - silence.at >= Math.min(AT_MOST, first * 2 ** (silence.times - 1));
    },
    found(target) {
      known.add(target);
      onceFound.add(target);
      silences.delete(target);
    },
    doubtFound() {
      known.clear();
      for (const target of onceFound) silences.delete(target);
    },
    silent(target) {
      silences.set(target, { times: (silences.get(target)?.times ?? 0) + 1, at: clock.monotonic() });
    },
  };
}
