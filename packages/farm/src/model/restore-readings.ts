import { parsePath } from "@steading/subjects";
import type { EquipmentBook } from "./equipment-book.ts";
import { equipmentPath, metricPath, type FarmHistory } from "./farm-history.ts";

const MOST_SERIES = 1_000;

/**
 * After a start the last readings come from the history itself, so the two can never disagree. They are told as stale
 * until the device is heard again.
 */
export function restoreReadings({
  book,
  history,
}: {
  readonly book: EquipmentBook;
  readonly history: FarmHistory;
}): void {
  for (const equipment of book.list()) {
    const { metrics, since } = book.state(equipment.id);
    for (const name of keptMetrics(history, equipment.id)) {
      const last = history.latest(metricPath(equipment.id, name));
      if (typeof last?.value !== "number") continue;
      const unit = book.metrics(equipment).find((metric) => metric.name === name)?.unit ?? "";
      // One that a wrong clock put into the future would hide all that come before it.
      metrics.set(name, { value: last.value, unit, at: Math.min(last.at, since), quality: "stale" });
    }
  }
}

/** The metrics of equipment that have a past. */
export function keptMetrics(history: Pick<FarmHistory, "series">, id: number): readonly string[] {
  const prefix = `${equipmentPath(id)}/measurements[`;
  return history.series({ prefix, limit: MOST_SERIES }).flatMap(({ path }) => {
    const parsed = parsePath(path);
    const step = "steps" in parsed ? parsed.steps.find((each) => each.key !== undefined) : undefined;
    return step?.key === undefined ? [] : [step.key];
  });
}
