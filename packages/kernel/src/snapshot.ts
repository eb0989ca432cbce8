import { randomBytes } from "node:crypto";
import type { Caller } from "./caller.ts";
import type { Cancel, Clock } from "./clock.ts";
import { millis, minutes, seconds, type Duration } from "./duration.ts";
import { kernelError } from "./kernel-errors.ts";
import type { Log } from "./log.ts";

/** A part's share of a snapshot. It must not change when the part does; what `view` is, only the part knows. */
export interface Captured {
  readonly view: unknown;
  /** Roughly how much memory it holds at this moment that the live state does not share. It grows as that changes. */
  bytes(): number;
  /** Gives back all that it holds. Called once, when nobody can ask for the view any more. */
  release(): void;
}

export interface SnapshotInfo {
  readonly id: string;
  readonly parts: readonly string[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SnapshotLimits {
  readonly ttl: Duration;
  readonly count: number;
  readonly bytes: number;
  /** How long at most before it is noticed that what is held has grown over `bytes`. */
  readonly weighEvery: Duration;
}
export const SNAPSHOT_LIMITS: SnapshotLimits = {
  ttl: minutes(5),
  count: 32,
  bytes: 64 * 1024 * 1024,
  weighEvery: seconds(1),
};

/** Moments that were kept. Each belongs to the principal that captured it; to others it does not exist. */
export interface Snapshots {
  /** Captures the named parts in one step: nothing can happen between two of them. */
  capture(caller: Caller, parts: readonly string[]): SnapshotInfo;
  /** Reading does not extend its life. Throws SNAPSHOT_NOT_FOUND, also when it does not hold that part. */
  read(id: string, caller: Caller, part: string): { readonly info: SnapshotInfo; readonly view: unknown };
  drop(id: string, caller: Caller): void;
  /** Lets go of everything. */
  close(): void;
  readonly counters: {
    readonly held: number;
    readonly bytes: number;
    readonly evicted: number;
    readonly expired: number;
  };
}

interface Kept {
  readonly info: SnapshotInfo;
  readonly principal: string;
  readonly parts: ReadonlyMap<string, Captured>;
}

export function createSnapshots({
  sources,
  clock,
  log,
  limits: given,
}: {
  readonly sources: ReadonlyMap<string, () => Captured>;
  readonly clock: Pick<Clock, "now" | "timer">;
  readonly log: Log;
  readonly limits?: Partial<SnapshotLimits>;
}): Snapshots {
  const limits = { ...SNAPSHOT_LIMITS, ...given };
  /** Oldest first; all live equally long, so that is also the order in which they expire. */
  const kept = new Map<string, Kept>();
  let evicted = 0;
  let expired = 0;
  let cancelTimer: Cancel | undefined;

  const heldBytes = (): number => [...kept.values()].reduce((sum, { parts }) => sum + weigh(parts), 0);

  function release(parts: ReadonlyMap<string, Captured>): void {
    for (const [part, captured] of parts) {
      try {
        captured.release();
      } catch (error) {
        log.error("A part could not give its share of a snapshot back.", error, { part });
      }
    }
  }
  function remove({ info, parts }: Kept): void {
    kept.delete(info.id);
    release(parts);
    if (kept.size === 0) stopTimer();
  }
  function expire(): void {
    for (const each of kept.values()) {
      if (each.info.expiresAt > clock.now()) return;
      remove(each);
      expired += 1;
    }
  }
  function makeRoom(needed: number, places: number): void {
    for (const each of kept.values()) {
      if (kept.size + places <= limits.count && heldBytes() + needed <= limits.bytes) return;
      remove(each);
      evicted += 1;
    }
  }
  function stopTimer(): void {
    cancelTimer?.();
    cancelTimer = undefined;
  }
  /** Nobody has to ask for anything to be let go of: one timer, for the next expiry or the next weighing. */
  function startTimer(): void {
    stopTimer();
    const [next] = kept.values();
    if (!next) return;
    const rest = Math.max(0, next.info.expiresAt - clock.now());
    cancelTimer = clock.timer(millis(Math.min(rest, limits.weighEvery)), () => {
      expire();
      makeRoom(0, 0);
      startTimer();
    });
  }
  function find(id: string, caller: Caller): Kept {
    expire();
    const found = kept.get(id);
    if (found?.principal === caller.principal) return found;
    throw kernelError("SNAPSHOT_NOT_FOUND", "There is no such snapshot; it never was, was dropped, or has expired.");
  }
  function captureAll(names: ReadonlySet<string>): ReadonlyMap<string, Captured> {
    for (const part of names) {
      if (!sources.has(part))
        throw kernelError("SNAPSHOT_NOT_FOUND", "One of the named parts cannot be captured.", { details: { part } });
    }
    const parts = new Map<string, Captured>();
    try {
      for (const part of names) {
        const captured = sources.get(part)?.();
        if (captured) parts.set(part, captured);
      }
    } catch (error) {
      release(parts);
      throw error;
    }
    return parts;
  }

  return {
    capture(caller, names) {
      expire();
      const parts = captureAll(new Set(names));
      const needed = weigh(parts);
      if (needed > limits.bytes) {
        release(parts);
        throw kernelError(
          "SNAPSHOT_TOO_LARGE",
          `This would hold ${needed} bytes; at most ${limits.bytes} are allowed.`,
        );
      }
      makeRoom(needed, 1);
      const createdAt = clock.now();
      const info: SnapshotInfo = Object.freeze({
        id: randomBytes(16).toString("hex"),
        parts: Object.freeze([...parts.keys()]),
        createdAt,
        expiresAt: createdAt + limits.ttl,
      });
      kept.set(info.id, { info, principal: caller.principal, parts });
      startTimer();
      return info;
    },
    read(id, caller, part) {
      const { info, parts } = find(id, caller);
      const captured = parts.get(part);
      if (!captured)
        throw kernelError("SNAPSHOT_NOT_FOUND", "This snapshot does not hold that part.", { details: { part } });
      return { info, view: captured.view };
    },
    drop: (id, caller) => remove(find(id, caller)),
    close() {
      for (const each of kept.values()) remove(each);
    },
    get counters() {
      return { held: kept.size, bytes: heldBytes(), evicted, expired };
    },
  };
}

function weigh(parts: ReadonlyMap<string, Captured>): number {
  let bytes = 0;
  for (const captured of parts.values()) bytes += captured.bytes();
  return bytes;
}
