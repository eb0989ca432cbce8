import type { Db } from "../sqlite/open-database.ts";
import type { Dropped, Retention } from "./writer-messages.ts";

/** Keeps `runs` and `bus` within their bounds, and lets audit records grow old. Runs on the writer thread. */
export interface JournalRetention {
  /** Called for every record after its insert, inside its transaction. */
  appended(stream: unknown, correlation: unknown): void;
  /** The transaction failed: what `appended` was told did not happen. */
  recount(): void;
  /** Brings every stream back within its bounds; true when something was dropped. Call between transactions. */
  trim(): boolean;
  /** Drops audit records from before this time, in steps; true when there may be more. */
  expireAudit(before: number): boolean;
  dropped(): Dropped;
}

/** A stream may exceed its bound by this share before it is cut: one cut of many records is cheaper than many of one. */
const SLACK = 0.02;
/** Rows that one step deletes, so that commits never wait long behind retention. */
const STEP = 2_000;
/** Runs whose length is remembered; the length of any other is counted again when it writes. */
const KNOWN_RUNS = 1_000;

type Run = string | null;

export function createJournalRetention({ db, limits }: { db: Db; limits: Retention }): JournalRetention {
  const statements = prepare(db);
  let bus = Number(statements.busLength.get());
  let runs = Number(statements.runsLength.get());
  /** All light bus records are beyond this one, so that looking for the oldest does not pass over the kept ones again. */
  let lightAfter = 0;
  const lengths = new Map<Run, number>();
  const longRuns = new Set<Run>();

  /** The run's length with the record that was just inserted. */
  function grownLength(run: Run): number {
    const known = lengths.get(run);
    if (known !== undefined) return known + 1;
    if (lengths.size >= KNOWN_RUNS) lengths.clear();
    return Number(statements.runLength.get(run));
  }

  /** The oldest light records go first, then the oldest of any kind. */
  function trimBus(excess: number): void {
    const light = statements.oldestLight.all(lightAfter, excess) as number[]; // one plucked integer column
    for (const seq of light) statements.dropBus.run(seq);
    lightAfter = light.at(-1) ?? lightAfter;
    const rest = excess - light.length;
    const heavy = rest > 0 ? statements.dropOldestBus.run(rest).changes : 0;
    statements.countDropped.run({ audit: 0, runs: 0, bus: light.length + heavy });
    bus -= light.length + heavy;
  }

  function trimRun(run: Run): void {
    const { changes } = statements.dropRunBefore.run(run, run, limits.runRecords);
    lengths.set(run, limits.runRecords);
    statements.countDropped.run({ audit: 0, runs: changes, bus: 0 });
    runs -= changes;
  }

  function trimRuns(excess: number): void {
    const { changes } = statements.dropOldestRuns.run(excess);
    lengths.clear(); // any run may have become shorter
    statements.countDropped.run({ audit: 0, runs: changes, bus: 0 });
    runs -= changes;
  }

  const trimAll = db.transaction(() => {
    if (beyond(bus, limits.busRecords)) trimBus(Math.min(bus - limits.busRecords, STEP));
    for (const run of longRuns) trimRun(run);
    if (beyond(runs, limits.runsRecords)) trimRuns(Math.min(runs - limits.runsRecords, STEP));
    longRuns.clear();
  });

  const expire = db.transaction((before: number) => {
    const oldest = statements.oldestAudit.all(STEP) as { seq: number; at: number }[]; // the columns of the statement
    // Only from the front: a clock that was set back must not tear a hole into the middle.
    const young = oldest.findIndex(({ at }) => at >= before);
    const last = oldest[(young === -1 ? oldest.length : young) - 1];
    if (!last) return false;
    const { changes } = statements.dropAuditTo.run(last.seq);
    statements.countDropped.run({ audit: changes, runs: 0, bus: 0 });
    return young === -1;
  });

  return {
    appended(stream, correlation) {
      if (stream === "bus") bus++;
      if (stream !== "runs") return;
      runs++;
      const run = typeof correlation === "string" ? correlation : null;
      const length = grownLength(run);
      lengths.set(run, length);
      if (beyond(length, limits.runRecords)) longRuns.add(run);
    },
    recount() {
      bus = Number(statements.busLength.get());
      runs = Number(statements.runsLength.get());
      lengths.clear();
      longRuns.clear();
    },
    trim() {
      if (!beyond(bus, limits.busRecords) && !beyond(runs, limits.runsRecords) && longRuns.size === 0) return false;
      trimAll.immediate();
      return true;
    },
    expireAudit: (before) => expire.immediate(before),
    // The one row of the counters; its columns are the type's fields.
    dropped: () => statements.dropped.get() as Dropped,
  };
}

const beyond = (length: number, bound: number): boolean => length > bound + Math.floor(bound * SLACK);

function prepare(db: Db) {
  return {
    busLength: db.prepare("SELECT count(*) FROM journal_bus").pluck(),
    runsLength: db.prepare("SELECT count(*) FROM journal_runs").pluck(),
    runLength: db.prepare("SELECT count(*) FROM journal_runs WHERE correlation IS ?").pluck(),
    oldestLight: db.prepare("SELECT seq FROM journal_bus WHERE seq > ? AND light = 1 ORDER BY seq LIMIT ?").pluck(),
    dropBus: db.prepare("DELETE FROM journal_bus WHERE seq = ?"),
    dropOldestBus: db.prepare(
      "DELETE FROM journal_bus WHERE seq IN (SELECT seq FROM journal_bus ORDER BY seq LIMIT ?)",
    ),
    dropRunBefore: db.prepare(
      "DELETE FROM journal_runs WHERE correlation IS ? AND seq <= " +
        "(SELECT seq FROM journal_runs WHERE correlation IS ? ORDER BY seq DESC LIMIT 1 OFFSET ?)",
    ),
    dropOldestRuns: db.prepare(
      "DELETE FROM journal_runs WHERE seq IN (SELECT seq FROM journal_runs ORDER BY seq LIMIT ?)",
    ),
    oldestAudit: db.prepare("SELECT seq, at FROM journal_audit ORDER BY seq LIMIT ?"),
    dropAuditTo: db.prepare("DELETE FROM journal_audit WHERE seq <= ?"),
    countDropped: db.prepare(
      "UPDATE counters SET audit_dropped = audit_dropped + @audit, runs_dropped = runs_dropped + @runs, " +
        "bus_dropped = bus_dropped + @bus",
    ),
    dropped: db.prepare("SELECT audit_dropped AS audit, runs_dropped AS runs, bus_dropped AS bus FROM counters"),
  };
}
