import type { LampRequest } from "./lamp-controller.ts";

/** One line that reached the lamp. */
export interface LampWireEntry {
  /** 1 for the first line since the lamp was made; no gaps, over all connections. */
  readonly order: number;
  /** 1 for the first connection since the lamp was made. */
  readonly connection: number;
  readonly request: LampRequest;
  /** False when the lamp was deaf. */
  readonly carriedOut: boolean;
}

export interface LampWireLog {
  add(entry: Omit<LampWireEntry, "order">): LampWireEntry;
  /** Oldest first; at most `limit`, the newest stay. */
  readonly entries: readonly LampWireEntry[];
  /** How many of the oldest were let go. */
  readonly dropped: number;
}

/** Every line received, in order. When it is full the oldest quarter goes, so that keeping it costs little a line. */
export function createLampWireLog({ limit }: { limit: number }): LampWireLog {
  let entries: LampWireEntry[] = [];
  let dropped = 0;
  return {
    add(entry) {
      if (entries.length >= limit) {
        const surplus = Math.max(1, Math.floor(limit / 4));
        entries = entries.slice(surplus);
        dropped += surplus;
      }
      const kept = { order: dropped + entries.length + 1, ...entry };
      entries.push(kept);
      return kept;
    },
    get entries() {
      return entries;
    },
    get dropped() {
      return dropped;
    },
  };
}
