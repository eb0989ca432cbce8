import { COLUMNS, STATUSES } from "../model/rows.ts";
import type { JsonObject, Route } from "@steading/kernel";
import * as z from "zod";
import { CLEAR_TARGETS, clearData } from "../model/clear-data.ts";
import { instant } from "../model/instant.ts";
import { LOG_LEVELS } from "../model/log-pages.ts";
import { readingCounts, tableCounts } from "../rows/data-counts.ts";
import type { ApiDeps } from "./api-deps.ts";
import { farmRoute, NumberText, ok } from "./farm-route.ts";

const MOST_PAGE = 1_000;

/** Pages for whoever looks after the hub. */
export function createSystemAdminRoutes({ core, logs }: ApiDeps): readonly Route[] {
  const { book, field, readings, automations } = core;

  function services(): JsonObject[] {
    const gateways = Object.values(field.gateways());
    const count = (status: string): number => book.list().filter(({ id }) => book.state(id).status === status).length;
    return [
      { name: "api", status: "running", detail: {} },
      { name: "mcp", status: "running", detail: {} },
      { name: "database", status: "running", detail: { ...readings.counters() } },
      { name: "polling", status: field.polling() ? "running" : "stopped", detail: { ...field.counters().polling } },
      {
        name: "modbus",
        status: gateways.every((connected) => connected) ? "running" : "degraded",
        detail: { gateways: gateways.length, connected: gateways.filter((connected) => connected).length },
      },
      { name: "equipment", status: "running", detail: Object.fromEntries(STATUSES.map((each) => [each, count(each)])) },
      // Schedules and thresholds are not built yet: a program runs when somebody asks for it.
      { name: "automations", status: "manual only", detail: { total: automations.list().length } },
    ];
  }

  return [
    farmRoute({
      method: "GET",
      path: "/api/system/services",
      role: "admin",
      summary: "What runs in the hub",
      handle: () => ok(services()),
    }),
    farmRoute({
      method: "GET",
      path: "/api/system/logs",
      role: "admin",
      summary: "The farm's newest log lines",
      query: z.object({
        level: z.enum(LOG_LEVELS).optional(),
        limit: NumberText.optional(),
        offset: NumberText.optional(),
      }),
      handle({ query: { level, limit = 100, offset = 0 } }) {
        const most = Math.min(limit, MOST_PAGE);
        return ok({ ...logs.page({ level, limit: most, offset }), limit: most, offset });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/system/data-counts",
      role: "admin",
      summary: "How much of everything there is",
      handle: async () => ok({ ...tableCounts(core), ...(await readingCounts(core)) }),
    }),
    farmRoute({
      method: "DELETE",
      path: "/api/system/clear/:target",
      role: "admin",
      summary: "Delete what was kept about the past, or what is older than `before`",
      params: z.object({ target: z.enum(CLEAR_TARGETS) }),
      query: z.object({ before: z.string().max(60).optional() }),
      async handle({ params: { target }, query: { before } }, { caller }) {
        const instantBefore = before === undefined ? undefined : instant(before, "before");
        const deleted = await clearData(target, { before: instantBefore, by: caller.principal }, core);
        return ok({ message: `${deleted} rows deleted`, target, deleted });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/system/schema",
      role: "admin",
      summary: "The tables and their columns",
      handle: () => ok({ tables: Object.entries(COLUMNS).map(([name, columns]) => ({ name, columns })) }),
    }),
  ];
}
