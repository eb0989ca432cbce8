import { STREAMS, type StoredRecord, type StreamName } from "@steading/kernel";
import type { EncodedRecord } from "./encode-commit.ts";
import { storedRecord } from "./stored-record.ts";
import type { Counters } from "./writer-messages.ts";

/** What a queued commit says about a key; `json: undefined` means that it deletes it. */
export interface OverlayEntry {
  readonly json: string | undefined;
  readonly revision: number;
}

/**
 * What was committed and is not yet known to be on disk. It lies over the database for every read, so that the next
 * decision sees what the last one did. Bounded by the commit queue, which holds the same commits. Of each stream the last
 * records stay on after they are durable: readers who follow a stream find what they want here.
 */
export interface Overlay {
  set(space: string, key: string, entry: OverlayEntry): void;
  get(space: string, key: string): OverlayEntry | undefined;
  /** Keys of a space with the prefix and beyond `after`, in code unit order. */
  keys(space: string, prefix: string, after: string | undefined): readonly string[];
  append(record: EncodedRecord, seq: number): void;
  /** Records beyond `after`, oldest first. */
  records(stream: StreamName, after: number, limit: number): readonly StoredRecord[];
  /** Forgets a key that is on disk, unless a later commit has touched it. */
  settle(space: string, key: string, revision: number): void;
  /** The sequence number before the oldest record in memory; from there on no disk is needed. */
  recordsFrom(stream: StreamName): number;
  settleRecords(durable: Counters): void;
  /** Forgets what is not on disk. */
  reset(durable: Counters): void;
}

interface Queued {
  readonly record: EncodedRecord;
  readonly seq: number;
}

export function createOverlay({ tailRecords }: { tailRecords: number }): Overlay {
  const spaces = new Map<string, Map<string, OverlayEntry>>();
  const recent: Record<StreamName, Queued[]> = { audit: [], runs: [], bus: [] };

  return {
    set(space, key, entry) {
      let keys = spaces.get(space);
      if (!keys) {
        keys = new Map<string, OverlayEntry>();
        spaces.set(space, keys);
      }
      keys.set(key, entry);
    },
    get: (space, key) => spaces.get(space)?.get(key),
    keys(space, prefix, after) {
      const found: string[] = [];
      for (const key of spaces.get(space)?.keys() ?? []) {
        if (key.startsWith(prefix) && (after === undefined || key > after)) found.push(key);
      }
      return found.sort();
    },
    append(record, seq) {
      recent[record.stream].push({ record, seq });
    },
    records(stream, after, limit) {
      const list = recent[stream];
      const first = list[0];
      if (!first || limit <= 0) return [];
      // Sequence numbers have no gap, so the position of the first wanted one is known.
      const start = Math.max(0, after + 1 - first.seq);
      return list.slice(start, start + limit).map(toStored);
    },
    settle(space, key, revision) {
      const keys = spaces.get(space);
      if (keys?.get(key)?.revision !== revision) return;
      keys.delete(key);
      if (keys.size === 0) spaces.delete(space);
    },
    recordsFrom: (stream) => (recent[stream][0]?.seq ?? Number.POSITIVE_INFINITY) - 1,
    settleRecords(durable) {
      for (const stream of STREAMS) {
        const list = recent[stream];
        const settled = list[0] ? durable[stream] - list[0].seq + 1 : 0;
        // Twice the tail before cutting: moving a long list for every commit would cost more than it saves.
        if (settled > 2 * tailRecords) list.splice(0, settled - tailRecords);
      }
    },
    reset(durable) {
      spaces.clear();
      for (const stream of STREAMS) recent[stream] = recent[stream].filter(({ seq }) => seq <= durable[stream]);
    },
  };
}

function toStored({ record, seq }: Queued): StoredRecord {
  return storedRecord(record.stream, seq, record.at, record.kind, record.correlation, record.json);
}
