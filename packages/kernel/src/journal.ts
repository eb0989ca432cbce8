import type { Caller } from "./caller.ts";
import type { Cancel } from "./clock.ts";
import type { JsonObject } from "./json.ts";
import type { Commit, Committed, Durability, NewRecord, ReadRecords, StoredRecord, StreamName } from "./ledger.ts";

export interface NewEvent {
  readonly kind: string;
  readonly correlation?: string;
  readonly data: JsonObject;
}

/**
 * Everything that happened, once, in order. Records are redacted here, on the way in: what is not written cannot leak.
 */
export interface Journal {
  /** A redacted record, to be put into a larger commit. */
  record(stream: StreamName, event: NewEvent): NewRecord;
  /**
   * A commit that carries records, with its listeners told once it is durable. Records that go straight to the ledger
   * are told too, but only when the next commit comes through here.
   */
  commit(commit: Commit): Promise<Committed>;
  /** A record of its own. */
  append(stream: StreamName, event: NewEvent, durability?: Durability): Promise<StoredRecord>;
  /** Throws ACCESS_DENIED below the stream's minimum role (audit: admin, runs and bus: viewer). */
  read(stream: StreamName, caller: Caller, options?: ReadRecords): readonly StoredRecord[];
  /**
   * Called for every record once its commit is done, in order: a volatile one is told before it is on disk, and when the
   * store loses it there, its number comes again with another record. A listener that throws is logged and kept apart.
   */
  onRecord(stream: StreamName, listener: (record: StoredRecord) => void): Cancel;
}
