import {
  argumentProblems,
  effectiveRole,
  invalidArguments,
  SteadingError,
  type JsonObject,
  type Route,
  type RouteContext,
} from "@steading/kernel";
import * as z from "zod";
import type { FarmCore } from "../model/farm-core.ts";
import { iso } from "../model/instant.ts";
import { DEFAULT_NETWORK, Network, TimeZone } from "../model/setting-values.ts";
import type { ApiDeps } from "./api-deps.ts";
import { farmRoute, ok } from "./farm-route.ts";

/** Network and time zone, which a fresh place is asked for before there is anybody. */
export function createSetupRoutes({ core, accounts }: ApiDeps): readonly Route[] {
  const { settings } = core;

  /** Open only as long as there is no user at all. */
  function check({ caller, isKnown }: RouteContext): void {
    if (accounts.list().length === 0) return;
    if (!isKnown) throw new SteadingError("UNAUTHENTICATED", "Setup is over; log in as an admin.");
    if (effectiveRole(caller) !== "admin") {
      throw new SteadingError("ACCESS_DENIED", "Setup is over; only an admin may see or change this.");
    }
  }

  return [
    farmRoute({
      method: "GET",
      path: "/api/auth/setup/network",
      role: "public",
      summary: "The network's settings; for admins once there is a user",
      handle(_input, context) {
        check(context);
        return ok({ ...DEFAULT_NETWORK, ...(settings.get("network") as JsonObject) });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/auth/setup/network",
      role: "public",
      summary: "Set the network; for admins once there is a user",
      body: z.unknown(),
      async handle({ body: given }, context) {
        check(context);
        const body = parsed(Network, given);
        await settings.set({ network: body }, context.caller.principal);
        return ok({ message: "Network settings saved", ...body });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/auth/setup/timezone",
      role: "public",
      summary: "The time zone; for admins once there is a user",
      handle(_input, context) {
        check(context);
        return ok(timeZoneOf(core));
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/auth/setup/timezone",
      role: "public",
      summary: "Set the time zone; for admins once there is a user",
      body: z.unknown(),
      async handle({ body }, context) {
        check(context);
        const { timezone } = parsed(z.object({ timezone: TimeZone }), body);
        await setTimeZone(core, timezone, context.caller.principal);
        return ok({ message: "Time zone saved", ...timeZoneOf(core) });
      },
    }),
  ];
}

/** Here and not by the server, which knows nothing of setup: who may not set it is not told what is wrong with it either. */
function parsed<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw invalidArguments("The body", argumentProblems(result.error.issues, given, {}));
}

function timeZoneOf({ settings }: Pick<FarmCore, "settings">): JsonObject {
  const timezone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { timezone, updatedAt: null, ...(settings.get("timezone") as JsonObject) };
}

export async function setTimeZone(
  { settings, now }: Pick<FarmCore, "settings" | "now">,
  timezone: string,
  by: string,
): Promise<void> {
  await settings.set({ timezone: { timezone, updatedAt: iso(now()) } }, by);
}
