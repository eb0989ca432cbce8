import type { ToolContext } from "@steading/kernel";
import type * as z from "zod";
import type { HistoryInput, HistoryOutput } from "./extras-schemas.ts";
import type { HistoryPort } from "./history-port.ts";
import { isDateTime } from "./iso-text.ts";
import { locateProperty } from "./locate-target.ts";
import { toolError } from "./tool-errors.ts";
import type { World } from "./tool-world.ts";

const DEFAULT_BUCKETS = 100;
const MAX_BUCKETS = 1_000;

export async function answerHistory(
  world: World,
  history: HistoryPort,
  input: z.infer<typeof HistoryInput>,
  context: Pick<ToolContext, "signal">,
): Promise<z.infer<typeof HistoryOutput>> {
  const { path, property } = locateProperty(world, input.path);
  world.access.requireRead(property, path);
  const from = readTime(input.from, "from");
  const to = input.to === undefined ? world.graph.clock.now() : readTime(input.to, "to");
  if (from >= to) throw toolError("INVALID_ARGUMENTS", "`from` must lie before `to`.", { details: { field: "from" } });
  const isNumeric = property.type === "number" || property.type === "integer";
  const aggregation = input.aggregation ?? (isNumeric ? "mean" : "raw");
  const needsNumbers =
    aggregation === "mean" || aggregation === "sum" || aggregation === "min" || aggregation === "max";
  if (needsNumbers && !isNumeric)
    throw toolError("INVALID_ARGUMENTS", `${aggregation} needs numbers, and ${path} is of type ${property.type}.`, {
      details: { field: "aggregation" },
    });
  const buckets = Math.min(input.buckets ?? DEFAULT_BUCKETS, MAX_BUCKETS);
  const { points, truncated } = await history.read({ path, from, to, aggregation, buckets }, context.signal);
  return {
    path,
    aggregation,
    ...(property.facets.unit === undefined ? {} : { unit: property.facets.unit }),
    points: points.slice(0, buckets).map(({ at, value, quality }) => ({
      at: new Date(at).toISOString(),
      value,
      ...(quality === undefined || quality === "good" ? {} : { quality }),
    })),
    truncated: truncated || points.length > buckets,
    // An empty past and none at all look the same otherwise.
    ...(property.facets.history === true || points.length > 0 ? {} : { isRecorded: false }),
  };
}

function readTime(text: string, field: string): number {
  const at = isDateTime(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(at))
    throw toolError("INVALID_ARGUMENTS", `\`${field}\` must be an ISO 8601 date-time such as 2026-03-01T06:30:00Z.`, {
      details: { field },
    });
  return at;
}
