import { hours, minutes, type Duration, type JsonObject } from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import { metricPath } from "../model/farm-history.ts";
import { iso } from "../model/instant.ts";
import type { Equipment } from "../model/rows.ts";
import { shownNames, unitOf } from "./readings-page.ts";

const MOST_POINTS = 2_000;

/** How wide a point is, by how much is shown; undefined: every reading is a point. */
function widthFor(length: number): Duration | undefined {
  if (length <= hours(1)) return undefined;
  if (length <= hours(24)) return minutes(5);
  return length <= hours(24 * 7) ? hours(1) : hours(6);
}

/** The past of a device as points, each metric for itself, 2000 at most in all. */
export async function chartPoints(
  equipment: Equipment,
  { from, to, most = MOST_POINTS }: { readonly from: number; readonly to: number; readonly most?: number },
  core: Pick<FarmCore, "book" | "history">,
): Promise<readonly JsonObject[]> {
  const names = shownNames(equipment, core);
  const each = Math.max(1, Math.floor(most / Math.max(1, names.length)));
  const width = widthFor(to - from);
  const found = await Promise.all(
    names.map(async (name) => {
      const span = { path: metricPath(equipment.id, name), from, to: to + 1 };
      const unit = unitOf(equipment, name, core);
      if (width === undefined) {
        const { readings } = await core.history.range({ ...span, order: "newest first", limit: each });
        return readings.map(({ at, value }) =>
          point(at, name, unit, { mean: value, min: value, max: value, count: 1 }),
        );
      }
      // Whole stretches of that width, one more than fit when neither end is one's beginning; too many become wider ones.
      const fits = Math.ceil((to - from) / width) + 1 <= each;
      const { buckets } = await core.history.buckets({ ...span, ...(fits ? { width } : { count: each }) });
      return buckets.filter((bucket) => bucket.count > 0).map((bucket) => point(bucket.at, name, unit, bucket));
    }),
  );
  return found
    .flat()
    .toSorted((a, b) => a.at - b.at)
    .slice(-most)
    .map(({ at: _at, ...point }) => point);
}

function point(
  at: number,
  name: string,
  unit: string,
  { mean, min, max, count }: { mean: unknown; min: unknown; max: unknown; count: number },
): JsonObject & { readonly at: number } {
  const [avg_value, min_value, max_value] = [mean, min, max].map((value) =>
    typeof value === "number" ? Math.round(value * 1_000) / 1_000 : null,
  );
  return {
    at,
    timestamp: iso(at),
    name,
    unit,
    avg_value: avg_value ?? null,
    min_value: min_value ?? null,
    max_value: max_value ?? null,
    count,
  };
}
