import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import { toInstant, toNumber, toObject, toText, toTime, toWhole } from "./core-values.ts";

export interface ReadingsWanted {
  readonly equipmentId: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit: number;
  readonly metric?: string | undefined;
}

/** What a reading without a name is called in the statistics. */
const UNNAMED = "_default";

/** The core's page in the shape our own tools give. Undefined: it is no page of readings. */
export function readingsFromCore(sent: Json, wanted: ReadingsWanted): JsonObject | undefined {
  const rows = isJsonObject(sent) ? [sent["readings"], sent["data"], sent["history"]].find(Array.isArray) : sent;
  if (!Array.isArray(rows)) return undefined;
  const page = isJsonObject(sent) ? sent : {};
  const { equipmentId, limit, metric } = wanted;
  const readings = (rows as readonly Json[])
    .flatMap((row) => readingRow(row, equipmentId))
    .filter(({ name, at }) => isWanted(name, at, wanted))
    .toSorted((a, b) => b.at - a.at);
  const all = toObject(page["stats"]) ?? {};
  const stats = Object.fromEntries(
    Object.entries(all).flatMap(([name, each]) => {
      const figures = toObject(each);
      if (!figures || (metric !== undefined && name !== metric)) return [];
      const { avg, min, max, unit, count } = figures;
      const told = { avg: toNumber(avg) ?? null, min: toNumber(min) ?? null, max: toNumber(max) ?? null };
      return [[name, { ...told, unit: toText(unit) ?? "", count: toWhole(count) ?? 0 }]];
    }),
  );
  const counted = metric === undefined ? toWhole(page["total"]) : stats[metric]?.count;
  return {
    readings: readings.slice(0, limit).map(({ row }) => row),
    total: counted ?? readings.length,
    stats,
    limit,
    offset: 0,
  };
}

function readingRow(sent: Json, equipmentId: number) {
  if (!isJsonObject(sent)) return [];
  const at = toInstant(sent["timestamp"] ?? sent["created_at"]);
  const value = toNumber(sent["value"]);
  // The reference keeps whatever was posted, words among it; a reading is a number at a time.
  if (at === null || value === undefined) return [];
  const name = toText(sent["name"]);
  const row: JsonObject = {
    id: toWhole(sent["id"]) ?? null,
    equipment_id: toWhole(sent["equipment_id"]) ?? equipmentId,
    name,
    value,
    unit: toText(sent["unit"]) ?? "",
    timestamp: toTime(sent["timestamp"] ?? sent["created_at"]),
  };
  return [{ name: name ?? UNNAMED, at, row }];
}

/** Instants are compared here, too: the reference compares texts, and finds what is outside as well as what is in. */
function isWanted(name: string, at: number, { from, to, metric }: ReadingsWanted): boolean {
  return (metric === undefined || name === metric) && at >= (from ?? -Infinity) && at <= (to ?? Infinity);
}
