import type { JsonObject } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { FarmCore } from "../model/farm-core.ts";
import { metricPath, UNNAMED, type HistoryStretch } from "../model/farm-history.ts";
import { iso } from "../model/instant.ts";
import { keptMetrics } from "../model/restore-readings.ts";
import type { Equipment } from "../model/rows.ts";

export interface ReadingsQuestion {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly metric?: string | undefined;
}

export const MOST_READINGS = 1_000;
/** So far back a page may begin; further back is asked for by time. */
const MOST_OFFSET = 9_000;

type Core = Pick<FarmCore, "book" | "history" | "now">;

/** The past of one device, all its metrics together, newest first; the statistics cover the whole range, not the page. */
export async function readingsPage(equipment: Equipment, question: ReadingsQuestion, core: Core): Promise<JsonObject> {
  const { history, now } = core;
  const { from = 0, metric } = question;
  const limit = Math.min(question.limit, MOST_READINGS);
  const { offset } = question;
  if (offset > MOST_OFFSET) {
    throw farmError("BAD_INPUT", `offset is at most ${MOST_OFFSET}; ask for what is older with "to".`);
  }
  // The end is part of what is asked for; in the history it is not.
  const to = (question.to ?? now()) + 1;
  if (from >= to) throw farmError("BAD_INPUT", "from must be before to.");
  const names = shownNames(equipment, core).filter((name) => metric === undefined || name === metric);
  const series = await Promise.all(
    names.map(async (name, index) => {
      const span = { path: metricPath(equipment.id, name), from, to };
      const [page, summary] = await Promise.all([
        history.range({ ...span, order: "newest first", limit: offset + limit }),
        history.summary(span),
      ]);
      return { name, index, unit: unitOf(equipment, name, core), page, summary };
    }),
  );
  const readings = series
    .flatMap(({ name, index, unit, page }) =>
      page.readings.map(({ at, value }) => ({
        id: readingId(at, index),
        equipment_id: equipment.id,
        name: name === UNNAMED ? null : name,
        value,
        unit,
        timestamp: iso(at),
      })),
    )
    .toSorted((a, b) => b.id - a.id)
    .slice(offset, offset + limit);
  const total = series.reduce((sum, { summary }) => sum + summary.count, 0);
  return { readings, total, stats: statsOf(series), limit, offset };
}

/** What the whole range adds up to, by metric. */
export function statsOf(
  series: readonly { readonly name: string; readonly unit: string; readonly summary: HistoryStretch }[],
): JsonObject {
  const known = series.filter(({ summary }) => summary.count > 0);
  return Object.fromEntries(
    known.map(({ name, unit, summary: { mean, min, max, count } }) => [
      name,
      { avg: round(mean), min: round(min), max: round(max), unit, count },
    ]),
  );
}

/** The metrics of a device that have a past and are not switched off. */
export function shownNames(equipment: Equipment, { book, history }: Pick<Core, "book" | "history">): readonly string[] {
  const hidden = new Set(book.metrics(equipment).flatMap(({ name, enabled }) => (enabled ? [] : [name])));
  return keptMetrics(history, equipment.id).filter((name) => !hidden.has(name));
}

export function unitOf(equipment: Equipment, name: string, { book }: Pick<Core, "book">): string {
  const mapped = book.metrics(equipment).find((metric) => metric.name === name)?.unit;
  return mapped ?? book.state(equipment.id).metrics.get(name)?.unit ?? "";
}

/** Later than this, two numbers could not be told apart. */
const LAST_TOLD_APART = Math.floor(Number.MAX_SAFE_INTEGER / 1_000) - 1;

/** Readings have no number of their own; time and metric make one that rises with time and is the same in every answer. */
export function readingId(at: number, index: number): number {
  return Math.min(Math.max(at, 1), LAST_TOLD_APART) * 1_000 + (index % 1_000);
}

export function round(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 1_000) / 1_000;
}
