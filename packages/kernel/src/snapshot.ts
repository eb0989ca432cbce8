import { randomBytes } from "node:crypto";
import type { Caller } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { minutes, type Duration } from "./duration.ts";
import { kernelError } from "./kernel-errors.ts";

/** A part's share of a snapshot. It must not change when the part does; what `view` is, only the part knows. */
export interface Captured {
  readonly view: unknown;
  /** Roughly how much memory it holds that the live state does not share. */
  readonly bytes: number;
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
}
export const SNAPSHOT_LIMITS: SnapshotLimits = { ttl: minutes(5), count: 32, bytes: 64 * 1024 * 1024 };

/** Moments that were kept. Each belongs to the principal that captured it; to others it does not exist. */
export interface Snapshots {
  /** Captures the named parts in one step: nothing can happen between two of them. */
  capture(caller: Caller, parts: readonly string[]): SnapshotInfo;
  /** Reading does not extend its life. Throws SNAPSHOT_NOT_FOUND, also when it does not hold that part. */
  read(id: string, caller: Caller, part: string): { readonly info: SnapshotInfo; readonly view: unknown };
  drop(id: string, caller: Caller): void;
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
  readonly views: ReadonlyMap<string, unknown>;
  readonly bytes: number;
}

export function createSnapshots({
  sources,
  clock,
  limits: given,
}: {
  readonly sources: ReadonlyMap<string, () => Captured>;
  readonly clock: Pick<Clock, "now">;
  readonly limits?: Partial<SnapshotLimits>;
}): Snapshots {
  const limits = { ...SNAPSHOT_LIMITS, ...given };
  /** Oldest first. */
  const kept = new Map<string, Kept>();
  let bytes = 0;
  let evicted = 0;
  let expired = 0;

  function remove({ info, bytes: own }: Kept): void {
    kept.delete(info.id);
    bytes -= own;
  }
  function expire(): void {
    for (const each of kept.values()) {
      if (each.info.expiresAt > clock.now()) continue;
      remove(each);
      expired += 1;
    }
  }
  function makeRoom(needed: number): void {
    for (const each of kept.values()) {
      if (kept.size < limits.count && bytes + needed <= limits.bytes) return;
      remove(each);
      evicted += 1;
    }
  }
  function find(id: string, caller: Caller): Kept {
    expire();
    const found = kept.get(id);
    if (found?.principal === caller.principal) return found;
    throw kernelError("SNAPSHOT_NOT_FOUND", "There is no such snapshot; it never was, was dropped, or has expired.");
  }

  return {
    capture(caller, parts) {
      expire();
      const views = new Map<string, unknown>();
      let needed = 0;
      for (const part of new Set(parts)) {
        const captured = sources.get(part)?.();
        if (!captured)
          throw kernelError("SNAPSHOT_NOT_FOUND", "One of the named parts cannot be captured.", { details: { part } });
        views.set(part, captured.view);
        needed += captured.bytes;
      }
      if (needed > limits.bytes) {
        throw kernelError(
          "SNAPSHOT_TOO_LARGE",
          `This would hold ${needed} bytes; at most ${limits.bytes} are allowed.`,
        );
      }
      makeRoom(needed);
      const createdAt = clock.now();
      const info: SnapshotInfo = Object.freeze({
        id: randomBytes(16).toString("hex"),
        parts: Object.freeze([...views.keys()]),
        createdAt,
        expiresAt: createdAt + limits.ttl,
      });
      kept.set(info.id, { info, principal: caller.principal, views, bytes: needed });
      bytes += needed;
      return info;
    },
    read(id, caller, part) {
      const { info, views } = find(id, caller);
      if (!views.has(part))
        throw kernelError("SNAPSHOT_NOT_FOUND", "This snapshot does not hold that part.", { details: { part } });
      return { info, view: views.get(part) };
    },
    drop: (id, caller) => remove(find(id, caller)),
    get counters() {
      expire();
      return { held: kept.size, bytes, evicted, expired };
    },
  };
}
