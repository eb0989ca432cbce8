import { days } from "@steading/kernel";
import { round3 } from "../modbus/register-value.ts";
import { metricPath, UNNAMED, type FarmHistory, type HistoryReading } from "../model/farm-history.ts";
import { parseInstant } from "../model/instant.ts";
import { importError } from "./import-errors.ts";
import { createTableAccount, type TableReport } from "./import-report.ts";
import type { ImportSource, SourceRow } from "./import-source.ts";

const BATCH = 10_000;
const LONGEST_NAME = 200;
/** A reading this far ahead is a mistake of some clock, and would stay the newest for ever. */
const AHEAD = days(1);
/** Metrics whose last time is remembered, to tell readings of one moment; the history takes no more either. */
const MOST_METRICS = 100_000;

export interface ImportHistory extends Pick<FarmHistory, "append"> {
  /** Says what the values of a path are measured in. */
  define?(path: string, options: { readonly unit: string }): void;
}

/** Reads millions of readings in constant memory; each batch is on its way to the disk before the next is read. */
export async function importReadings({
  source,
  equipment,
  history,
  now,
  signal,
  progress,
}: {
  readonly source: ImportSource;
  readonly equipment: ReadonlySet<number>;
  /** Absent: only looks. */
  readonly history: ImportHistory | undefined;
  readonly now: number;
  readonly signal: AbortSignal;
  readonly progress: (done: number) => void;
}): Promise<TableReport> {
  const account = createTableAccount("readings");
  const metrics = new Map<string, { readonly path: string; lastAt: number }>();
  let batch: HistoryReading[] = [];
  let found = 0;

  function metricOf(id: number, name: string, unit: string): { readonly path: string; lastAt: number } {
    const key = `${id} ${name}`;
    const known = metrics.get(key);
    if (known) return known;
    const made = { path: metricPath(id, name), lastAt: -1 };
    if (metrics.size < MOST_METRICS) metrics.set(key, made);
    if (unit !== "") history?.define?.(made.path, { unit });
    return made;
  }

  async function flush(): Promise<void> {
    if (signal.aborted) throw importError("IMPORT_STOPPED", "The import was stopped.");
    const { accepted, dropped } = (await history?.append(batch, { durability: "kept" })) ?? {
      accepted: batch.length,
      dropped: 0,
    };
    account.took(accepted);
    if (dropped > 0) account.skip(undefined, "the history did not take it", dropped);
    batch = [];
    progress(found);
  }

  for (const row of source.tables.includes("readings") ? source.rows("readings") : []) {
    found += 1;
    const read = readingOf(row, equipment, now);
    if (typeof read === "string") account.skip(row["id"], read);
    else {
      const { equipmentId, name, unit, value, at } = read;
      const metric = metricOf(equipmentId, name, unit);
      if (metric.lastAt === at) account.note(row["id"], "of one moment with the one before it; the later one stands");
      metric.lastAt = at;
      batch.push({ path: metric.path, value, at, quality: "good" });
    }
    if (batch.length >= BATCH) await flush();
  }
  await flush();
  return account.report(found);
}

/** A reading, or why it is none. */
function readingOf(row: SourceRow, equipment: ReadonlySet<number>, now: number) {
  const { equipment_id: equipmentId, name, value, unit } = row;
  if (typeof equipmentId !== "number" || !equipment.has(equipmentId)) return "its equipment was not taken";
  if (typeof value !== "number" || !Number.isFinite(value)) return "its value is not a number";
  const when = row["timestamp"] ?? row["created_at"];
  const at = typeof when === "string" ? parseInstant(when) : undefined;
  if (at === undefined || at < 0) return "its time is not a time";
  if (at > now + AHEAD) return "its time has not come yet";
  if (typeof name === "string" && name.length > LONGEST_NAME) return "its name is too long";
  return {
    equipmentId,
    name: typeof name === "string" && name !== "" ? name : UNNAMED,
    unit: typeof unit === "string" ? unit.slice(0, 40) : "",
    value: round3(value),
    at,
  };
}
