import { effectiveRole, roleAtLeast, type Role } from "./caller.ts";
import type { Clock } from "./clock.ts";
import type { Journal } from "./journal.ts";
import { kernelError } from "./kernel-errors.ts";
import type { Commit, Committed, Durability, Ledger, NewRecord, StoredRecord, StreamName } from "./ledger.ts";
import type { Log } from "./log.ts";
import { newRecord } from "./new-record.ts";

const MINIMUM_ROLE: Readonly<Record<StreamName, Role>> = { audit: "admin", runs: "viewer", bus: "viewer" };
const DURABILITY: Readonly<Record<StreamName, Durability>> = { audit: "fixed", runs: "kept", bus: "volatile" };
const PAGE = 1_000;

export interface JournalCounters {
  readonly appended: number;
  readonly listenerFailures: number;
  /** Records that a listener never saw because the store had let go of them already. */
  readonly missed: number;
  /** Records that were told and that the store then took back; their numbers came again. */
  readonly takenBack: number;
}
export interface WorkingJournal extends Journal {
  readonly counters: JournalCounters;
}

export function createJournal({
  ledger,
  clock,
  log,
}: {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
}): WorkingJournal {
  type Listener = (record: StoredRecord) => void;
  const listeners: Readonly<Record<StreamName, Set<Listener>>> = { audit: new Set(), runs: new Set(), bus: new Set() };
  /** The last record of each stream that was told, or was there before anybody could listen. */
  const told: Record<StreamName, number> = {
    audit: ledger.lastSeq("audit"),
    runs: ledger.lastSeq("runs"),
    bus: ledger.lastSeq("bus"),
  };
  /** The last number of each stream that was given out, as far as it came through here. */
  const given: Record<StreamName, number> = { ...told };
  const counters = { appended: 0, listenerFailures: 0, missed: 0, takenBack: 0 };
  /** Telling keeps the order of the commits, although a weaker one may be done before a stronger one before it. */
  let telling: Promise<void> = Promise.resolve();

  function tell(record: StoredRecord): void {
    told[record.stream] = record.seq;
    for (const listener of [...listeners[record.stream]]) {
      try {
        listener(record);
      } catch (error) {
        counters.listenerFailures += 1;
        log.error("A journal listener failed; the others go on.", error, { stream: record.stream, seq: record.seq });
      }
    }
  }

  /** Somebody may have put records into a commit of their own: those are told first, from the ledger. */
  function tellUpTo(record: StoredRecord): void {
    const { stream, seq } = record;
    if (seq <= told[stream]) return;
    while (listeners[stream].size > 0 && told[stream] < seq - 1) {
      const limit = Math.min(PAGE, seq - 1 - told[stream]);
      const between = ledger.records(stream, { after: told[stream], limit }).filter((each) => each.seq < seq);
      if (between.length === 0) break;
      for (const each of between) {
        counters.missed += each.seq - told[stream] - 1;
        tell(each);
      }
    }
    if (listeners[stream].size > 0) counters.missed += seq - told[stream] - 1;
    tell(record);
  }

  /** A store that loses volatile records takes their numbers back: whatever comes next is told although it was "told". */
  function fallenBack(streams: ReadonlySet<StreamName>): readonly { stream: StreamName; to: number }[] {
    const fallen: { stream: StreamName; to: number }[] = [];
    for (const stream of streams) {
      const to = ledger.lastSeq(stream);
      if (to >= given[stream]) continue;
      counters.takenBack += given[stream] - to;
      given[stream] = to;
      fallen.push({ stream, to });
    }
    return fallen;
  }

  async function commit(asked: Commit): Promise<Committed> {
    const records = asked.records ?? [];
    if (records.length === 0) return ledger.commit(asked);
    const streams = new Set(records.map(({ stream }) => stream));
    const fallen = fallenBack(streams);
    const pending = ledger.commit(asked);
    for (const stream of streams) given[stream] = ledger.lastSeq(stream);
    const before = telling;
    telling = pending.then(
      async ({ seqs }) => {
        await before;
        for (const { stream, to } of fallen) told[stream] = Math.min(told[stream], to);
        records.forEach((record, i) => tellUpTo({ ...record, seq: seqs[i] ?? 0 }));
      },
      () => before, // whoever committed is told of the failure; nothing happened that listeners could hear of
    );
    const committed = await pending;
    counters.appended += records.length;
    return committed;
  }

  function record(stream: StreamName, event: Parameters<Journal["record"]>[1]): NewRecord {
    return newRecord(clock, stream, event);
  }

  return {
    record,
    commit,
    async append(stream, event, durability = DURABILITY[stream]) {
      const fresh = record(stream, event);
      const { seqs } = await commit({ durability, records: [fresh] });
      return { ...fresh, seq: seqs[0] ?? 0 };
    },
    read(stream, caller, options) {
      const needed = MINIMUM_ROLE[stream];
      if (!roleAtLeast(effectiveRole(caller), needed)) {
        throw kernelError("ACCESS_DENIED", `Reading ${stream} needs the role ${needed}.`, { details: { needed } });
      }
      return ledger.records(stream, options);
    },
    onRecord(stream, listener) {
      // Each registration is its own, also when the same function listens twice.
      const own: Listener = (each) => listener(each);
      if (listeners[stream].size === 0) told[stream] = ledger.lastSeq(stream);
      listeners[stream].add(own);
      return () => void listeners[stream].delete(own);
    },
    get counters() {
      return { ...counters };
    },
  };
}
