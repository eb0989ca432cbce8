import { roleAtLeast, effectiveRole, SteadingError, type JsonObject, type Route } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { dryRun } from "../model/dry-run.ts";
import { iso } from "../model/instant.ts";
import { stopAll } from "../model/stop-all.ts";
import { performerFor, type ApiDeps } from "./api-deps.ts";
import { farmRoute, IdParams, ok } from "./farm-route.ts";

/** Stopping, disarming and trying out. */
export function createStopRoutes(deps: ApiDeps): readonly Route[] {
  const { core, facts, arming, logs } = deps;
  const { book, zones, alerts, settings, automations, now } = core;

  function armingJson(): JsonObject {
    const held = arming?.held();
    const armed = arming ? held === undefined : facts.armed();
    return {
      armed,
      disarmed: !armed,
      at: held ? iso(held.since) : null,
      reason: held?.because ?? null,
      autoReArmAt: null,
    };
  }

  return [
    farmRoute({
      method: "POST",
      path: "/api/automations/:id/test",
      role: "operator",
      summary: "What it would do at this moment; nothing is switched",
      params: IdParams,
      handle({ params: { id } }) {
        const looked = { book, zones, alerts, settings, now, armed: () => armingJson()["armed"] === true };
        return ok(dryRun(automations.get(id), looked));
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/automations/stop-all",
      role: "operator",
      summary: "Switch everything within a scope off, and disarm the hub if asked to",
      body: z.object({
        scope: z.enum(["all", "zone", "equipment"]),
        zone_id: z.int().min(1).optional(),
        equipment_id: z.int().min(1).optional(),
        disarm: z.boolean().default(false),
        reason: z.string().trim().max(500).optional(),
      }),
      urgent: true,
      async handle({ body: { disarm, reason, ...scope } }, context) {
        const perform = performerFor(deps, { ...context, headers: {} }, "stop_all");
        // First, so that nothing is switched on again behind the OFFs; but an OFF never waits for it to succeed.
        const disarmed = disarm && (await held(context.caller));
        const equipment = await stopAll(scope, core, perform);
        const confirmed = equipment.every((each) => each["confirmed"] === true);
        return ok({
          success: confirmed,
          confirmed,
          scope: scope.scope,
          reason: reason ?? null,
          disarmed,
          equipment,
          ...(disarm && !disarmed
            ? { disarm_error: "This hub cannot be disarmed over REST; use `steading estop`." }
            : {}),
        });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/automations/arming",
      role: "viewer",
      summary: "May the hub switch anything on?",
      handle: () => ok(armingJson()),
    }),
    farmRoute({
      method: "POST",
      path: "/api/automations/arming",
      role: "operator",
      summary: "Disarm, or as an admin arm again",
      body: z.object({ armed: z.boolean() }),
      urgent: ({ body: { armed } }) => !armed,
      async handle({ body: { armed } }, { caller }) {
        if (!arming)
          throw farmError(
            "NOT_AVAILABLE",
            "This hub is armed and stopped by `steading arm` and `steading estop` only.",
          );
        // Stopping is for everybody who may switch; starting again is for who answers for it.
        if (armed && !roleAtLeast(effectiveRole(caller), "admin")) {
          throw new SteadingError("ACCESS_DENIED", "Only an admin may arm the hub again.");
        }
        await (armed ? arming.arm(caller) : arming.stop(caller));
        return ok(armingJson());
      },
    }),
  ];

  async function held(caller: Parameters<NonNullable<typeof arming>["stop"]>[0]): Promise<boolean> {
    try {
      await arming?.stop(caller);
      return arming?.held() !== undefined;
    } catch (error) {
      // Told in the answer as well; the OFFs matter more.
      logs.log.error("The hub could not be disarmed.", error);
      return false;
    }
  }
}
