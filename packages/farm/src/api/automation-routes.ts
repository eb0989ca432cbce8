import type { Route } from "@steading/kernel";
import * as z from "zod";
import { automationEffect, checkCarriedOut } from "../model/automation-effect.ts";
import { AutomationChange, NewAutomation } from "../model/automation-input.ts";
import type { Automation } from "../model/rows.ts";
import { automationLogRow } from "../rows/automation-log-row.ts";
import { automationRow } from "../rows/automation-row.ts";
import { performerFor, type ApiDeps } from "./api-deps.ts";
import { created, farmRoute, IdParams, ok, shaped, ShapeQuery, type Shape } from "./farm-route.ts";

export function createAutomationRoutes(deps: ApiDeps): readonly Route[] {
  const { automations } = deps.core;
  const row = (automation: Automation, shape: Shape) => shaped(automationRow(automation), shape);

  return [
    farmRoute({
      method: "GET",
      path: "/api/automations",
      role: "viewer",
      summary: "All automations by priority, then name",
      query: ShapeQuery,
      handle: ({ query }) => ok(automations.list().map((each) => row(each, query.shape))),
    }),
    farmRoute({
      method: "POST",
      path: "/api/automations",
      role: "operator",
      summary: "Add an automation",
      query: ShapeQuery,
      body: NewAutomation,
      handle: async ({ query, body }, { caller }) =>
        created(row(await automations.create(body, caller.principal), query.shape)),
    }),
    farmRoute({
      method: "GET",
      path: "/api/automations/:id",
      role: "viewer",
      summary: "One automation with its last runs",
      params: IdParams,
      query: ShapeQuery,
      handle({ params: { id }, query: { shape } }) {
        const logs = automations.logs(id).map((log) => shaped(automationLogRow(log), shape));
        return ok({ ...row(automations.get(id), shape), logs });
      },
    }),
    farmRoute({
      method: "PUT",
      path: "/api/automations/:id",
      role: "operator",
      summary: "Change what is given, keep the rest",
      params: IdParams,
      query: ShapeQuery,
      body: AutomationChange,
      handle: async ({ params, query, body }, { caller }) =>
        ok(row(await automations.update(params.id, body, caller.principal), query.shape)),
    }),
    farmRoute({
      method: "DELETE",
      path: "/api/automations/:id",
      role: "operator",
      summary: "Delete an automation",
      params: IdParams,
      async handle({ params: { id } }, { caller }) {
        await automations.remove(id, caller.principal);
        return ok({ message: "Automation deleted" });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/automations/:id/toggle",
      role: "operator",
      summary: "Enable or disable, to the other state or as told",
      params: IdParams,
      body: z.looseObject({ enabled: z.boolean().optional() }).optional(),
      async handle({ params: { id }, body }, context) {
        const automation = automations.get(id);
        const wanted = body?.enabled ?? !automation.enabled;
        const effect = automationEffect({
          automation,
          verb: wanted ? "enable" : "disable",
          toward: wanted ? "live" : "safe",
          arguments: { enabled: wanted },
          run: async () => {
            await automations.toggle(id, wanted, context.caller.principal);
            return { enabled: wanted };
          },
        });
        checkCarriedOut(await performerFor(deps, context, "toggle_automation")(effect));
        return ok({ enabled: wanted, id, name: automation.name });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/automations/:id/trigger",
      role: "operator",
      summary: "Run once, also when disabled",
      params: IdParams,
      async handle({ params: { id } }, context) {
        const perform = performerFor(deps, { ...context, headers: {} }, "trigger_automation");
        return ok(await automations.trigger(id, { perform, source: "manual", by: context.caller.principal }));
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/automations/:id/duplicate",
      role: "operator",
      summary: "A disabled copy",
      params: IdParams,
      query: ShapeQuery,
      async handle({ params: { id }, query: { shape } }, { caller }) {
        const automation = await automations.duplicate(id, caller.principal);
        return created({ success: true, message: "Automation duplicated", automation: row(automation, shape) });
      },
    }),
  ];
}
