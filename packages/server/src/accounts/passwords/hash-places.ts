import { accountError } from "../account-errors.ts";

/** Lets only so many password checks run at one time, in the order they came. */
export interface HashPlaces {
  /** Throws LOGIN_BUSY when too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T>;
  readonly running: number;
  readonly waiting: number;
  readonly refused: number;
}

export function createHashPlaces({
  hashing,
  hashingWaiting,
}: {
  readonly hashing: number;
  readonly hashingWaiting: number;
}): HashPlaces {
  const queue: (() => void)[] = [];
  let running = 0;
  let refused = 0;

  function leave(): void {
    const next = queue.shift();
    if (next === undefined) running--;
    else next(); // the place is handed on
  }

  return {
    async run(work) {
      if (running < hashing) running++;
      else if (queue.length < hashingWaiting) await new Promise<void>((resolve) => queue.push(resolve));
      else {
        refused++;
        throw accountError("LOGIN_BUSY", "Too many passwords are being checked at this moment.");
      }
      try {
        return await work();
      } finally {
        leave();
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return queue.length;
    },
    get refused() {
      return refused;
    },
  };
}
