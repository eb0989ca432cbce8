import { minutes, type JsonObject, type Route } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { UNNAMED } from "../model/farm-history.ts";
import { instant, iso } from "../model/instant.ts";
import type { PostedReading } from "../model/readings.ts";
import { chartPoints } from "../rows/chart-points.ts";
import { readingId, readingsPage } from "../rows/readings-page.ts";
import type { ApiDeps } from "./api-deps.ts";
import { created, farmRoute, IdParams, NumberText, ok } from "./farm-route.ts";

const MOST_IN_A_BATCH = 1_000;
/** Clocks of loggers are a little off; more than this is a wrong one. */
const MOST_AHEAD = minutes(5);
const time = z.string().max(60);

const Reading = z.object({
  name: z.string().min(1).max(120).optional(),
  value: z.number(),
  unit: z.string().max(40).optional(),
  timestamp: time.optional(),
});
const Batch = z.object({ readings: z.array(Reading).min(1).max(MOST_IN_A_BATCH) });

export function createReadingRoutes({ core }: ApiDeps): readonly Route[] {
  const { book, readings, field, now } = core;

  function toPosted(
    { name = UNNAMED, value, unit, timestamp }: z.output<typeof Reading>,
    place: number | undefined,
  ): PostedReading {
    const present = now();
    if (timestamp === undefined) return { name, value, unit, at: present };
    const field = place === undefined ? "timestamp" : `readings[${place}].timestamp`;
    const at = instant(timestamp, field);
    if (at > 0 && at <= present + MOST_AHEAD) return { name, value, unit, at };
    // It would stay the last reading until its time has come, and hide every true one.
    throw farmError("BAD_INPUT", `${field} is ${at > 0 ? "in the future" : "before 1970"}; it is ${iso(present)}.`, {
      details: { field },
    });
  }

  return [
    farmRoute({
      method: "POST",
      path: "/api/equipment/:id/readings",
      role: "operator",
      summary: "Post one reading, or up to 1000 in one batch",
      params: IdParams,
      body: z.union([Batch, Reading]),
      async handle({ params: { id }, body }) {
        const equipment = book.get(id);
        if (!equipment.enabled) throw farmError("EQUIPMENT_DISABLED", `Equipment ${id} is disabled.`);
        const posted = "readings" in body ? body.readings.map(toPosted) : [toPosted(body, undefined)];
        await readings.posted(equipment, posted);
        field.heard(equipment);
        const { status, metrics } = book.state(id);
        const whose: JsonObject = { equipment_id: id, equipment_name: equipment.name, equipment_status: status };
        const [first] = posted;
        // Whoever sends a thousand knows them; saying each again would take longer than keeping them.
        if ("readings" in body || !first) return created({ ...whose, count: posted.length });
        const { name, value, at } = first;
        return created({
          id: readingId(at, 0),
          ...whose,
          name: name === UNNAMED ? null : name,
          value,
          unit: metrics.get(name)?.unit ?? "",
          timestamp: iso(at),
        });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/equipment/:id/history",
      role: "viewer",
      summary: "Readings, newest first, with statistics over the whole range",
      params: IdParams,
      query: z.object({
        from: time.optional(),
        to: time.optional(),
        limit: NumberText.optional(),
        offset: NumberText.optional(),
        metric: z.string().max(120).optional(),
      }),
      async handle({ params: { id }, query: { from, to, limit = 25, offset = 0, metric } }) {
        const page = await readingsPage(
          book.get(id),
          {
            from: from === undefined ? undefined : instant(from, "from"),
            to: to === undefined ? undefined : instant(to, "to"),
            limit,
            offset,
            metric,
          },
          core,
        );
        return ok({ ...page, data: page["readings"] ?? [] });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/equipment/:id/history/chart",
      role: "viewer",
      summary: "Points for a chart, raw up to an hour, coarser beyond",
      params: IdParams,
      query: z.object({ from: time, to: time.optional(), format: z.enum(["json", "csv"]).optional() }),
      async handle({ params: { id }, query: { from, to, format } }) {
        const span = { from: instant(from, "from"), to: to === undefined ? now() : instant(to, "to") };
        const points = await chartPoints(book.get(id), span, core);
        if (format !== "csv") return ok(points);
        return { content: { type: "text/csv; charset=utf-8", data: csv(points) } };
      },
    }),
  ];
}

const COLUMNS = ["timestamp", "name", "unit", "avg_value", "min_value", "max_value", "count"];

function csv(points: readonly JsonObject[]): string {
  const lines = points.map((point) => COLUMNS.map((column) => cell(point[column])).join(","));
  return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

/** Names come from people: one that begins like a formula must not become one in a spreadsheet. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = typeof value === "string" && /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
