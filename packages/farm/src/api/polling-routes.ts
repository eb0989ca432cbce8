import type { JsonObject, Route } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { gatewayKey } from "../modbus/gateway-address.ts";
import { iso } from "../model/instant.ts";
import type { ApiDeps } from "./api-deps.ts";
import { farmRoute, IdParams, ok } from "./farm-route.ts";

/** Connections to gateways, and the polls on them. */
export function createPollingRoutes({ core }: ApiDeps): readonly Route[] {
  const { book, field, readings } = core;

  function connections(): (JsonObject & { readonly gateway: string; readonly connected: boolean })[] {
    const connected = field.gateways();
    return Object.entries(field.counters().gateways).map(([gateway, counters]) => ({
      gateway,
      connected: connected[gateway] ?? false,
      ...counters,
    }));
  }

  return [
    farmRoute({
      method: "GET",
      path: "/api/modbus/connections",
      role: "viewer",
      summary: "Gateways and what happened on them",
      handle: () => ok({ connections: connections() }),
    }),
    farmRoute({
      method: "GET",
      path: "/api/modbus/connection/status",
      role: "viewer",
      summary: "Is a gateway connected?",
      query: z.object({ host: z.string().max(300).optional(), port: z.string().max(5).optional() }),
      handle({ query: { host, port = "502" } }) {
        const all = connections();
        if (host === undefined) return ok({ connected: all.some((each) => each.connected), connections: all });
        const found = all.filter(({ gateway }) => isAt(gateway, host, port));
        return ok({
          host,
          port: Number(port),
          connected: found.some((each) => each.connected),
          connections: found,
        });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/modbus/connection/disconnect",
      role: "admin",
      summary: "End the connection to a gateway; the next request makes a fresh one",
      body: z.union([
        z.object({ gateway: z.string().min(1).max(320) }),
        z.object({ host: z.string().min(1).max(300), port: z.int().min(1).max(65_535).default(502) }),
      ]),
      handle({ body }) {
        const names = Object.keys(field.gateways());
        const wanted = names.filter((name) =>
          "gateway" in body ? name === body.gateway : isAt(name, body.host, body.port),
        );
        for (const name of wanted) field.disconnect(name);
        if (wanted.length === 0) {
          throw farmError(
            "EQUIPMENT_UNKNOWN",
            `There is no such gateway. There is ${names.join(", ") || "none at all"}.`,
          );
        }
        return ok({ success: true, disconnected: wanted });
      },
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
      method: "POST",
      path: "/api/modbus/polling/refresh",
      role: "operator",
      summary: "Take the equipment as it is configured; it always is, so this only tells how many there are",
      handle: () => ok({ success: true, devices: field.counters().polling.devices }),
    }),
    farmRoute({
      method: "POST",
      path: "/api/modbus/polling/device/:id/poll",
      role: "operator",
      summary: "Poll one device at once",
      params: IdParams,
      async handle({ params: { id } }) {
        const equipment = book.get(id);
        const cycle = await field.pollNow(id);
        if (!cycle) {
          throw farmError(
            "NOT_SWITCHABLE",
            `Equipment ${id} is not polled: disabled, write-only, without registers, or polling is stopped.`,
          );
        }
        if (!cycle.ok) throw cycle.error;
        const values = cycle.readings.map(({ metric, value }) => ({
          name: metric.name,
          value: value ?? null,
          unit: metric.unit,
        }));
        return ok({ success: true, equipment_id: id, name: equipment.name, timestamp: iso(cycle.at), values });
      },
    }),
  ];
}

/** Is this the name of the gateway at that place, however the place is spelt? */
function isAt(name: string, host: string, port: string | number): boolean {
  const key = gatewayKey(`${host}:${port}`);
  return key !== undefined && name.endsWith(`://${key}`);
}
