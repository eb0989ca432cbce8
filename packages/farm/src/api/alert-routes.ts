import type { Route } from "@steading/kernel";
import * as z from "zod";
import { instant } from "../model/instant.ts";
import { SEVERITIES, type Alert } from "../model/rows.ts";
import { alertRow } from "../rows/alert-row.ts";
import type { ApiDeps } from "./api-deps.ts";
import {
  created,
  farmRoute,
  FlagText,
  IdParams,
  NumberText,
  ok,
  shaped,
  ShapeQuery,
  type Shape,
} from "./farm-route.ts";

const time = z.string().max(60);
const MOST_ALERTS = 1_000;

export function createAlertRoutes({ core }: ApiDeps): readonly Route[] {
  const { alerts, book, zones } = core;
  const row = (alert: Alert, shape: Shape) => shaped(alertRow(alert, core), shape);

  return [
    farmRoute({
      method: "GET",
      path: "/api/alerts",
      role: "viewer",
      summary: "Alerts, newest first",
      query: ShapeQuery.extend({
        severity: z.enum(SEVERITIES).optional(),
        acknowledged: FlagText.optional(),
        cleared: FlagText.optional(),
        equipment_id: NumberText.optional(),
        zone_id: NumberText.optional(),
        from: time.optional(),
        to: time.optional(),
        limit: NumberText.optional(),
      }),
      handle({ query: { shape, severity, acknowledged, cleared, equipment_id, zone_id, from, to, limit } }) {
        const found = alerts.list({
          severity,
          acknowledged,
          cleared,
          equipmentId: equipment_id,
          zoneId: zone_id,
          from: from === undefined ? undefined : instant(from, "from"),
          to: to === undefined ? undefined : instant(to, "to"),
        });
        return ok(found.slice(0, Math.min(limit ?? MOST_ALERTS, MOST_ALERTS)).map((alert) => row(alert, shape)));
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/alerts",
      role: "operator",
      summary: "Raise an alert",
      query: ShapeQuery,
      body: z.object({
        severity: z.enum(SEVERITIES),
        message: z.string().trim().min(1).max(500),
        equipment_id: z.int().min(1).nullable().optional(),
        zone_id: z.int().min(1).nullable().optional(),
        fingerprint: z.string().min(1).max(200).optional(),
      }),
      async handle({ query, body: { severity, message, equipment_id, zone_id, fingerprint } }, { caller }) {
        if (typeof equipment_id === "number") book.get(equipment_id);
        if (typeof zone_id === "number") zones.get(zone_id);
        const alert = await alerts.raise(
          { severity, message, source: "rest", equipmentId: equipment_id, zoneId: zone_id, fingerprint },
          caller.principal,
        );
        return created(row(alert, query.shape));
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/alerts/unacknowledged/count",
      role: "viewer",
      summary: "How many wait for somebody",
      handle: () => ok({ count: alerts.list({ acknowledged: false }).length }),
    }),
    farmRoute({
      method: "POST",
      path: "/api/alerts/:id/acknowledge",
      role: "operator",
      summary: "Somebody has seen it",
      params: IdParams,
      query: ShapeQuery,
      handle: async ({ params, query }, { caller }) =>
        ok(row(await alerts.acknowledge(params.id, caller.principal), query.shape)),
    }),
  ];
}
