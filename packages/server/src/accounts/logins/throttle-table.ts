import { createHash } from "node:crypto";
import type { Clock, Duration } from "@steading/kernel";

export interface ThrottleRules {
  /** Failures that cost nothing. */
  readonly free: number;
  /** The wait after the first failure that is not free; each further one doubles it. */
  readonly first: Duration;
  /** No wait is longer: a name is slowed down, never locked out. */
  readonly longest: Duration;
  /** Quiet time after which all is forgotten. */
  readonly forgetAfter: Duration;
}

/** Counts failures by key and says how long the next try has to wait. */
export interface ThrottleTable {
  /** Milliseconds; zero: go ahead. */
  wait(key: string): number;
  /** Counts a try as failed before it is made, so that a thousand at once are no way around. `undo` takes it back. */
  charge(key: string): { undo(): void };
  clear(key: string): void;
  readonly size: number;
  /** Keys that were let go although their time was not over. */
  readonly evicted: number;
}

interface Failures {
  count: number;
  /** On the clock that only grows. */
  at: number;
  blockedUntil: number;
}

export function createThrottleTable({
  clock,
  capacity,
  free,
  first,
  longest,
  forgetAfter,
}: ThrottleRules & { readonly clock: Pick<Clock, "monotonic">; readonly capacity: number }): ThrottleTable {
  // In the order of the last failure.
  const table = new Map<string, Failures>();
  let evicted = 0;

  function present(id: string): Failures | undefined {
    const known = table.get(id);
    if (known === undefined || !isOver(known)) return known;
    table.delete(id);
    return undefined;
  }
  function isOver({ at, blockedUntil }: Failures): boolean {
    return clock.monotonic() - Math.max(at, blockedUntil) >= forgetAfter;
  }
  function makeRoom(): void {
    if (table.size < capacity) return;
    const oldest = table.entries().next();
    if (oldest.done === true) return;
    const [id, failures] = oldest.value;
    if (!isOver(failures)) evicted++;
    table.delete(id);
  }
  function delay(count: number): number {
    return count < free ? 0 : Math.min(longest, first * 2 ** Math.min(count - free, 30));
  }

  return {
    wait: (key) => Math.max(0, (present(idOf(key))?.blockedUntil ?? 0) - clock.monotonic()),
    charge(key) {
      const id = idOf(key);
      const known = present(id);
      const before = { count: known?.count ?? 0, blockedUntil: known?.blockedUntil ?? 0 };
      if (known === undefined) makeRoom();
      else table.delete(id);
      const now = clock.monotonic();
      const count = before.count + 1;
      const failures: Failures = { count, at: now, blockedUntil: Math.max(before.blockedUntil, now + delay(count)) };
      table.set(id, failures);
      return {
        undo() {
          const current = table.get(id);
          if (current === undefined) return;
          current.count = Math.max(0, current.count - 1);
          // Somebody else's failure in between keeps its own wait.
          if (current === failures) current.blockedUntil = before.blockedUntil;
          if (current.count === 0) table.delete(id);
        },
      };
    },
    clear: (key) => void table.delete(idOf(key)),
    get size() {
      return table.size;
    },
    get evicted() {
      return evicted;
    },
  };
}

/** People type passwords into the field for names; a hash keeps no such thing, and every key is equally short. */
function idOf(key: string): string {
  return createHash("sha256").update(key).digest("base64");
}
