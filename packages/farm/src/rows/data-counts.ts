import type { JsonObject } from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import { COLUMNS, type TableName } from "../model/rows.ts";

/** More metrics than this are not counted one by one. */
const MOST_SERIES = 2_000;

export function tableCounts({ tables }: Pick<FarmCore, "tables">): Record<string, number> {
  const names = Object.keys(COLUMNS) as TableName[]; // the keys of a record of table names
  return Object.fromEntries(names.map((name) => [name, tables.all(name).length]));
}

/** How many readings there are, each metric asked by itself. */
export async function readingCounts({ history, now }: Pick<FarmCore, "history" | "now">): Promise<JsonObject> {
  const series = history.series({ prefix: "/farm/equipment/", limit: MOST_SERIES });
  let readings = 0;
  for (const { path } of series) readings += (await history.summary({ path, from: 0, to: now() + 1 })).count;
  return { readings, metrics: series.length, ...(series.length === MOST_SERIES ? { truncated: true } : {}) };
}
