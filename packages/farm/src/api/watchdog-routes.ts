import type { JsonObject, Route } from "@steading/kernel";
import * as z from "zod";
import { iso } from "../model/instant.ts";
import { WATCHDOG_TYPES, type WatchdogEvent } from "../model/rows.ts";
import type { ApiDeps } from "./api-deps.ts";
import { farmRoute, NumberText, ok, shaped, ShapeQuery, type Shape } from "./farm-route.ts";

const MOST_HISTORY = 200;
const MOST_PAGE = 1_000;

export function createWatchdogRoutes({ core }: ApiDeps): readonly Route[] {
  const { watchdog } = core;

  return [
    farmRoute({
      method: "GET",
      path: "/api/system/connectivity",
      role: "viewer",
      summary: "What is reached at this moment, and what came and went",
      query: ShapeQuery,
      handle({ query: { shape } }) {
        const gateways = [...watchdog.gateways()].map(([name, downSince]) => [name, status(downSince)]);
        return ok({
          current: {
            // Nobody looks whether there is an internet or a camera server, so nobody knows.
            internet: { status: "unknown", downSince: null },
            go2rtc: { status: "unknown", downSince: null },
            mcp: status(undefined),
            pendingNotifications: 0,
            gateways: Object.fromEntries(gateways) as JsonObject,
          },
          history: watchdog
            .history({ type: "connectivity" })
            .slice(0, MOST_HISTORY)
            .map((event) => row(event, shape)),
        });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/system/watchdog-history",
      role: "viewer",
      summary: "What the watchdog saw, newest first",
      query: ShapeQuery.extend({
        event_type: z.enum(WATCHDOG_TYPES).optional(),
        target: z.string().max(300).optional(),
        limit: NumberText.optional(),
        offset: NumberText.optional(),
      }),
      handle({ query: { event_type, target, limit = 50, offset = 0, shape } }) {
        const found = watchdog.history({ type: event_type, target });
        const most = Math.min(limit, MOST_PAGE);
        const events = found.slice(offset, offset + most).map((event) => row(event, shape));
        return ok({ events, total: found.length, limit: most, offset });
      },
    }),
  ];
}

function status(downSince: number | undefined): JsonObject {
  return {
    status: downSince === undefined ? "up" : "down",
    downSince: downSince === undefined ? null : iso(downSince),
  };
}

function row({ created_at, ...event }: WatchdogEvent, shape: Shape): JsonObject {
  return shaped({ ...event, created_at: iso(created_at) }, shape);
}
