import { hours, type Clock, type Durability, type Health, type Log } from "@steading/kernel";
import type {
  Appended,
  Bucket,
  BucketQuery,
  Buckets,
  History,
  RangePage,
  RangeQuery,
  Reading,
  Tidied,
} from "../history.ts";
import type { Scanner } from "../scan/scanner.ts";
import { storeError } from "../store-errors.ts";
import { createAdmission } from "./admit-reading.ts";
import { levelFor, roundWidth } from "./bucket-width.ts";
import { exportHistory } from "./export-history.ts";
import { createHistoryCounters, type HistoryCounters } from "./history-counters.ts";
import type { HistoryLimits } from "./history-limits.ts";
import type { SeriesRow } from "./history-messages.ts";
import { createHistoryReader } from "./history-reader.ts";
import { startHistoryWriter } from "./history-writer.ts";
import { createLatestReadings } from "./latest-readings.ts";
import { hourOf, minuteOf, HOUR, MINUTE, type Level } from "./level.ts";
import { fromRangeColumns } from "./range-columns.ts";
import { createReadingQueue } from "./reading-queue.ts";
import { createSeriesTable } from "./series-table.ts";

export interface SqliteHistory extends History {
  /** True when the database was too large to be checked before use. */
  readonly unchecked: boolean;
  health(): Health;
  readonly counters: HistoryCounters;
  close(): Promise<void>;
}

export interface SqliteHistoryDeps {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: HistoryLimits;
  readonly checkBytes: number;
  readonly scanner: Scanner;
}

const RANGE_PAGE = 10_000;
const MOST_BUCKETS = 5_000;
const MOST_TIDYING = 16;

/** The history on `history.db`: collected here, written by its own thread, read for long questions by the scan thread. */
export async function openSqliteHistory(deps: SqliteHistoryDeps): Promise<SqliteHistory> {
  const { file, clock, log, limits, checkBytes, scanner } = deps;
  const counters = createHistoryCounters();
  let dead: Error | undefined;
  let closing: Promise<void> | undefined;
  let failing = false;

  const writer = await startHistoryWriter({
    data: {
      file,
      openedAt: clock.now(),
      maxBytes: limits.historyBytes,
      checkBytes,
      batchReadings: limits.batchReadings,
      holdMs: limits.hold,
    },
    events: { written, failed, pruned: (rows) => (counters.pruned += rows), unpruned, tidied, untidied, broken },
  });
  const reader = createHistoryReader({ file });
  const series = createSeriesTable({ known: reader.series(), limit: limits.series });
  const latest = createLatestReadings({ load: reader.latest });
  const admits = createAdmission({ limits, counters });
  const queue = createReadingQueue({
    clock,
    limits,
    counters,
    send: (batch, columns, sync) => writer.write({ batch, columns, sync, series: series.takeUnsaved() }),
    rest: writer.rest,
  });
  let prunedAt = Number.NEGATIVE_INFINITY;
  let tidies = 0;
  const tidying = new Map<number, { resolve(tidied: Tidied): void; reject(error: Error): void }>();

  function written(to: number): void {
    if (failing) log.info("history.db takes readings again.");
    failing = false;
    queue.written(to);
  }

  function failed(to: number, error: Error): void {
    // Once, not for every batch: a full disk would fill the log as well.
    if (!failing) log.error("Readings cannot be written to history.db and are lost until it can.", error);
    failing = true;
    latest.clear();
    queue.failed(to, error);
  }

  function unpruned(error: Error): void {
    counters.failedPrunes++;
    log.error("Old readings could not be dropped; that will be tried again.", error);
  }

  function tidied(tidy: number, { rows, compacted }: Tidied): void {
    if (compacted === "done") counters.compactions++;
    tidying.get(tidy)?.resolve({ rows, compacted });
    tidying.delete(tidy);
  }

  function untidied(tidy: number, error: Error): void {
    counters.failedPrunes++;
    tidying.get(tidy)?.reject(error);
    tidying.delete(tidy);
  }

  function broken(error: Error): void {
    dead = error;
    for (const { reject } of tidying.values()) reject(error);
    tidying.clear();
    log.error("History has stopped.", error);
    queue.abandon(error);
  }

  /** Asked for with readings and not by a timer: a history that nobody adds to does not grow. */
  function pruneSometimes(): void {
    if (clock.monotonic() - prunedAt < hours(1)) return;
    prune();
  }

  function prune(tidy?: number): void {
    prunedAt = clock.monotonic();
    const now = clock.now();
    const before = (keep: number): number => Math.max(0, hourOf(now - keep));
    const times = { raw: before(limits.keepRaw), minute: before(limits.keepMinutes), hour: before(limits.keepHours) };
    writer.prune({ ...times, ...(tidy === undefined ? {} : { tidy }) });
  }

  function assertUsable(): void {
    if (closing) throw storeError("STORE_CLOSED", "The store is closed");
    if (dead) throw dead;
  }

  function seriesOf(path: string): SeriesRow {
    const row = series.find(path);
    if (!row) throw storeError("SERIES_UNKNOWN", `${path} has no history`, { details: { path } });
    return row;
  }

  function addAll(readings: readonly Reading[]): Appended {
    const now = clock.now();
    let accepted = 0;
    for (const reading of readings) {
      if (!admits(reading, now)) continue;
      const row = series.ensure(reading.path);
      if (!row) counters.droppedSeries++;
      else if (queue.add(row.id, reading)) {
        latest.set(row, reading);
        accepted++;
      } else counters.droppedNoRoom++;
    }
    return { accepted, dropped: readings.length - accepted };
  }

  async function append(readings: readonly Reading[], durability: Durability): Promise<Appended> {
    assertUsable();
    // Volatile readings beyond the bound are dropped and counted; whoever waits for an answer is refused instead.
    if (durability !== "volatile" && queue.waiting + readings.length > limits.queueReadings) {
      const details = { readings: queue.waiting };
      throw storeError("STORE_BUSY", `${queue.waiting} readings wait for the disk already`, { details });
    }
    const appended = addAll(readings);
    pruneSometimes();
    await queue.settle(durability, appended.accepted);
    return appended;
  }

  /** Where finer levels are dropped already, a range begins and ends with the rows that are left. */
  function known(from: number, to: number): { from: number; to: number } {
    if (!(from < to)) throw storeError("QUERY_INVALID", `A range from ${from} to ${to} is empty`);
    const now = clock.now();
    const unit = (at: number): number =>
      at < now - limits.keepMinutes ? HOUR : at < now - limits.keepRaw ? MINUTE : 1;
    const up = (at: number): number => Math.ceil(at / unit(at)) * unit(at);
    return { from: unit(from) === HOUR ? hourOf(from) : unit(from) === MINUTE ? minuteOf(from) : from, to: up(to) };
  }

  async function range({ path, from, to, order = "oldest first", limit = 1_000 }: RangeQuery): Promise<RangePage> {
    assertUsable();
    const { id } = seriesOf(path);
    await queue.flush();
    const ask = { series: id, from, to, newestFirst: order === "newest first", limit: Math.min(limit, RANGE_PAGE) };
    const { columns, truncated } = await scanner.ask("range", ask);
    return { readings: fromRangeColumns(path, columns), truncated };
  }

  async function fill(query: BucketQuery, bounds: { from: number; to: number }, width: number, level: Level) {
    const { id, hold } = seriesOf(query.path);
    await queue.flush();
    const ask = { series: id, ...bounds, width, level, hold: hold ?? limits.hold, until: clock.now() };
    return scanner.ask("buckets", ask);
  }

  async function buckets(query: BucketQuery): Promise<Buckets> {
    assertUsable();
    const { from, to } = known(query.from, query.to);
    const width = query.width ?? roundWidth(from, to, Math.min(query.count ?? 200, MOST_BUCKETS));
    if (!(width >= 1) || (to - from) / width > MOST_BUCKETS) {
      throw storeError("QUERY_INVALID", `Buckets of ${width} ms are too narrow: at most ${MOST_BUCKETS} are made`);
    }
    const bounds = { from: Math.floor(from / width) * width, to: Math.ceil(to / width) * width };
    return { width, buckets: await fill(query, bounds, width, levelFor(bounds.from, width)) };
  }

  async function summary(query: Omit<BucketQuery, "width" | "count">): Promise<Bucket> {
    assertUsable();
    const bounds = known(query.from, query.to);
    const [bucket] = await fill(query, bounds, bounds.to - bounds.from, "hour");
    if (!bucket) throw storeError("QUERY_INVALID", "The range is empty");
    return bucket;
  }

  return {
    counters,
    unchecked: writer.uncheckedBytes > 0,
    health() {
      if (dead) return { status: "degraded", reason: dead.message };
      return failing ? { status: "degraded", reason: "Readings cannot be written and are lost" } : { status: "ok" };
    },
    define(path, options) {
      assertUsable();
      if (!series.define(path, options)) counters.droppedSeries++;
    },
    append: (readings, { durability = "volatile" } = {}) => append(readings, durability),
    latest(path) {
      assertUsable();
      const row = series.find(path);
      return row && latest.get(row);
    },
    range,
    buckets,
    summary,
    async *export(query) {
      assertUsable();
      const rows = query.paths.map(seriesOf);
      await queue.flush();
      yield* exportHistory({ scanner, series: rows }, query);
    },
    series: ({ prefix = "", after, limit = 1_000 } = {}) => series.list(prefix, after, Math.min(limit, 1_000)),
    flush: () => queue.flush(),
    async tidy() {
      assertUsable();
      if (tidying.size >= MOST_TIDYING) throw storeError("STORE_BUSY", "The history is being tidied already");
      await queue.flush();
      const number = ++tidies;
      return new Promise((resolve, reject) => {
        tidying.set(number, { resolve, reject });
        prune(number);
      });
    },
    close() {
      closing ??= (async () => {
        if (!dead) await queue.flush();
        reader.close();
        if (!dead) await writer.close();
        const closed = storeError("STORE_CLOSED", "The store is closed");
        for (const { reject } of tidying.values()) reject(closed);
        tidying.clear();
      })();
      return closing;
    },
  };
}
