import { hours, roleAtLeast, effectiveRole, type JsonObject, type Route } from "@steading/kernel";
import * as z from "zod";
import { STATUSES } from "../model/rows.ts";
import { alertRow } from "../rows/alert-row.ts";
import { automationRow } from "../rows/automation-row.ts";
import { chartPoints } from "../rows/chart-points.ts";
import { equipmentRow, findEquipment } from "../rows/equipment-row.ts";
import { healthJson, systemInfo } from "../rows/system-info.ts";
import { iso } from "../model/instant.ts";
import type { ApiDeps } from "./api-deps.ts";
import { farmRoute, NumberText, ok, shaped } from "./farm-route.ts";

const MOST_CHART_POINTS = 2_000;

export function createSystemRoutes({ core, facts }: ApiDeps): readonly Route[] {
  const { book, zones, automations, alerts, field, readings, now } = core;

  function latestReadings(): JsonObject[] {
    return book
      .list()
      .flatMap(({ id, name }) =>
        [...book.state(id).metrics].map(([metric, { value, unit, at }]) => ({
          equipment_id: id,
          equipment_name: name,
          name: metric,
          value,
          unit,
          timestamp: iso(at),
        })),
      )
      .toSorted((a, b) => (a.timestamp > b.timestamp ? -1 : 1))
      .slice(0, 50);
  }

  async function chart(from: number, to: number): Promise<readonly JsonObject[]> {
    const points: JsonObject[] = [];
    for (const equipment of book.list()) {
      if (points.length >= MOST_CHART_POINTS) break;
      const found = await chartPoints(equipment, { from, to }, core);
      points.push(...found.map((point) => ({ equipment_id: equipment.id, equipment_name: equipment.name, ...point })));
    }
    return points.slice(0, MOST_CHART_POINTS);
  }

  return [
    farmRoute({
      method: "GET",
      path: "/api/health",
      role: "public",
      summary: "Is the hub up?",
      handle: () => ok(healthJson(facts, now())),
    }),
    farmRoute({
      method: "GET",
      path: "/api/system/info",
      role: "viewer",
      summary: "The hub and the machine it runs on",
      handle: (_input, { caller }) =>
        ok(systemInfo(facts, core, { isAdmin: roleAtLeast(effectiveRole(caller), "admin") })),
    }),
    farmRoute({
      method: "GET",
      path: "/api/modbus/connections",
      role: "operator",
      summary: "Gateways and what happened on them",
      handle: () => ok({ ...field.counters() } as unknown as JsonObject), // counters are numbers in plain objects
    }),
    farmRoute({
      method: "GET",
      path: "/api/modbus/polling/status",
      role: "viewer",
      summary: "Is polling on, and how does it go?",
      handle: () => ok({ running: field.polling(), ...field.counters().polling, readings: { ...readings.counters() } }),
    }),
    ...(["start", "stop"] as const).map((verb) =>
      farmRoute({
        method: "POST",
        path: `/api/modbus/polling/${verb}`,
        role: "admin",
        summary: `${verb === "start" ? "Begin" : "End"} polling`,
        handle() {
          field.setPolling(verb === "start");
          return ok({ running: field.polling() });
        },
      }),
    ),
    farmRoute({
      method: "GET",
      path: "/api/dashboard/overview",
      role: "viewer",
      summary: "Everything at a glance",
      query: z.object({ hours: NumberText.optional(), chart: z.enum(["0", "1"]).optional() }),
      async handle({ query: { hours: wanted = 24, chart: withChart } }, { caller }) {
        const length = Math.min(Math.max(wanted, 1), 24 * 31);
        const all = book.list();
        const count = (status: string): number => all.filter(({ id }) => book.state(id).status === status).length;
        const open = alerts.list({ acknowledged: false });
        const programs = automations.list();
        const ran = programs.filter(({ last_run }) => last_run !== null);
        const from = now() - length * hours(1);
        return ok({
          equipment: { total: all.length, ...Object.fromEntries(STATUSES.map((status) => [status, count(status)])) },
          zones: { total: zones.list().length },
          automations: { total: programs.length, active: programs.filter(({ enabled }) => enabled).length },
          alerts: {
            unacknowledged: open.length,
            critical: open.filter(({ severity }) => severity === "critical").length,
            warning: open.filter(({ severity }) => severity === "warning").length,
          },
          recentAlerts: alerts
            .list()
            .slice(0, 5)
            .map((alert) => shaped(alertRow(alert, core), undefined)),
          recentAutomations: ran
            .toSorted((a, b) => (b.last_run ?? 0) - (a.last_run ?? 0))
            .slice(0, 5)
            .map((each) => shaped(automationRow(each), undefined)),
          latestReadings: latestReadings(),
          activeAutomations: programs
            .filter(({ enabled }) => enabled)
            .slice(0, 10)
            .map((each) => shaped(automationRow(each), undefined)),
          chartReadings: withChart === "0" ? [] : await chart(from, now()),
          equipmentList: findEquipment({}, core)
            .slice(0, 20)
            .map((each) => shaped(equipmentRow(each, core), undefined)),
          latestLabReadings: [],
          timeRange: { hours: length, from: iso(from), to: iso(now()) },
          canWrite: roleAtLeast(effectiveRole(caller), "operator"),
        });
      },
    }),
  ];
}
