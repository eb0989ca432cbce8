import { isJsonObject, type Duration, type JsonObject } from "@steading/kernel";
import { iso } from "../model/instant.ts";
import { toInstant, toList, toNumber, toText } from "./core-values.ts";

interface Stretch {
  readonly at: number;
  readonly name: string | null;
  readonly unit: string;
  readonly values: number[];
}

/**
 * A page of single readings as what stretches of time add up to. No core has a call for that, and a page is all there is
 * to add up: when the core has more readings than it holds, the oldest stretches, which are cut, are left out.
 */
export function bucketedFromCore(
  page: JsonObject,
  { equipmentId, width, limit }: { readonly equipmentId: number; readonly width: Duration; readonly limit: number },
): JsonObject {
  const rows = toList(page["readings"]).filter(isJsonObject);
  const stretches = new Map<string, Stretch>();
  for (const row of rows) {
    const [at, value] = [toInstant(row["timestamp"]), toNumber(row["value"])];
    if (at === null || value === undefined) continue;
    const [name, start] = [toText(row["name"]), Math.floor(at / width) * width];
    const key = `${start} ${name ?? ""}`;
    const known = stretches.get(key) ?? { at: start, name, unit: toText(row["unit"]) ?? "", values: [] };
    known.values.push(value);
    stretches.set(key, known);
  }
  const isCut = (toNumber(page["total"]) ?? 0) > rows.length;
  const oldest = Math.min(...[...stretches.values()].map(({ at }) => at));
  const whole = [...stretches.values()].filter(({ at }) => !isCut || at > oldest);
  const readings = whole.toSorted((a, b) => b.at - a.at).slice(0, limit);
  return {
    ...page,
    readings: readings.map((each) => stretchRow(each, equipmentId)),
    total: whole.length,
    limit,
    ...(isCut ? { truncated: true } : {}),
  };
}

function stretchRow({ at, name, unit, values }: Stretch, equipment_id: number): JsonObject {
  const sum = values.reduce((total, value) => total + value, 0);
  return {
    equipment_id,
    name,
    value: round(sum / values.length),
    min: round(Math.min(...values)),
    max: round(Math.max(...values)),
    count: values.length,
    unit,
    timestamp: iso(at),
  };
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
