import { days, hours, millis, minutes, seconds, type Duration, type JsonObject } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { FarmCore } from "../model/farm-core.ts";
import { metricPath, UNNAMED, type HistoryStretch } from "../model/farm-history.ts";
import { iso } from "../model/instant.ts";
import type { Equipment } from "../model/rows.ts";
import { MOST_READINGS, readingId, round, shownNames, statsOf, unitOf } from "./readings-page.ts";

export interface BucketQuestion {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit: number;
  readonly metric?: string | undefined;
  readonly width: Duration;
}

const FORM = /^([1-9]\d{0,4})(s|m|h|d)$/;
const UNITS = { s: seconds(1), m: minutes(1), h: hours(1), d: days(1) };
const WIDEST = days(366);
/** Of one metric, looked through for one answer. */
const MOST_BUCKETS = 5_000;

/** `5m`, `1h`, `1d`. */
export function bucketWidth(text: string): Duration {
  const [, count, unit] = FORM.exec(text) ?? [];
  const width = Number(count) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN); // NaN for what the form has not
  if (width <= WIDEST) return millis(width);
  throw farmError("BAD_INPUT", `bucket must be a time such as 30s, 5m, 1h or 1d, at most 366d.`);
}

/** As a page of readings, each of them what one stretch of time adds up to. Stretches without a reading are left out. */
export async function bucketedReadings(
  equipment: Equipment,
  question: BucketQuestion,
  core: Pick<FarmCore, "book" | "history" | "now">,
): Promise<JsonObject> {
  const { metric, width } = question;
  /** Without a beginning the last stretches that have something in them are meant, also of a device that fell silent. */
  const newest = (names: readonly string[]): number =>
    Math.max(0, ...names.map((name) => core.history.latest(metricPath(equipment.id, name))?.at ?? 0)) + 1;
  const limit = Math.min(question.limit, MOST_READINGS);
  const to = (question.to ?? core.now()) + 1;
  const names = shownNames(equipment, core).filter((name) => metric === undefined || name === metric);
  const from = question.from ?? Math.max(0, Math.min(to, newest(names)) - limit * width);
  if (from >= to) throw farmError("BAD_INPUT", "from must be before to.");
  if ((to - from) / width > MOST_BUCKETS) {
    throw farmError(
      "BAD_INPUT",
      `bucket is too narrow for this range: at most ${MOST_BUCKETS} are made of one metric.`,
    );
  }
  const series = await Promise.all(
    names.map(async (name, index) => {
      const span = { path: metricPath(equipment.id, name), from, to };
      const [{ buckets }, summary] = await Promise.all([
        core.history.buckets({ ...span, width }),
        core.history.summary(span),
      ]);
      const filled = buckets.filter(({ count }) => count > 0);
      return { name, index, unit: unitOf(equipment, name, core), filled, summary };
    }),
  );
  const readings = series
    .flatMap(({ name, index, unit, filled }) => filled.map((each) => row(equipment.id, { name, index, unit }, each)))
    .toSorted((a, b) => b.id - a.id)
    .slice(0, limit);
  const total = series.reduce((sum, { filled }) => sum + filled.length, 0);
  return { readings, total, stats: statsOf(series), limit, offset: 0 };
}

function row(
  equipment_id: number,
  { name, index, unit }: { readonly name: string; readonly index: number; readonly unit: string },
  { at, mean, min, max, count }: HistoryStretch,
) {
  return {
    id: readingId(at, index),
    equipment_id,
    name: name === UNNAMED ? null : name,
    value: round(mean),
    min: round(min),
    max: round(max),
    count,
    unit,
    timestamp: iso(at),
  };
}
