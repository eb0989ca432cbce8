import type { CoreAutomation } from "./core-rows.ts";
import { ANYBODY, OPERATORS, ok, refusal, type CoreAnswer, type CoreCall, type CoreRoute } from "./core-route.ts";
import { isoTime, sqliteTime } from "./core-times.ts";
import { write } from "./relay-calls.ts";

export const automationRoutes: readonly CoreRoute[] = [
  { method: "GET", path: "/api/automations", roles: ANYBODY, handle: list },
  { method: "POST", path: "/api/automations", roles: OPERATORS, handle: create },
  { method: "GET", path: "/api/automations/:id", roles: ANYBODY, handle: onRow((row) => ok({ ...row, logs: [] })) },
  { method: "PUT", path: "/api/automations/:id", roles: OPERATORS, handle: onRow(update) },
  { method: "DELETE", path: "/api/automations/:id", roles: OPERATORS, handle: onRow(remove) },
  { method: "POST", path: "/api/automations/:id/toggle", roles: OPERATORS, handle: onRow(toggle) },
  { method: "POST", path: "/api/automations/:id/trigger", roles: OPERATORS, handle: onRow(trigger) },
];

interface Action {
  readonly type?: string;
  readonly equipment_id?: number;
  readonly channel?: number;
  readonly action?: string;
}

function list({ site }: CoreCall): CoreAnswer {
  return ok(site.automations.toSorted((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1)));
}

function onRow(handle: (row: CoreAutomation, call: CoreCall) => CoreAnswer): CoreRoute["handle"] {
  return (call) => {
    const row = call.site.automations.find(({ id }) => id === call.ids[0]);
    return row ? handle(row, call) : refusal(404, "Not Found", "Automation not found");
  };
}

function create({ site, body, now }: CoreCall): CoreAnswer {
  if (typeof body["name"] !== "string") return refusal(400, "Bad Request", "Name is required");
  const made = sqliteTime(now);
  const row: CoreAutomation = {
    id: Math.max(0, ...site.automations.map(({ id }) => id)) + 1,
    name: body["name"],
    description: null,
    enabled: 1,
    priority: 0,
    trigger_config: JSON.stringify(body["trigger_config"] ?? {}),
    conditions: JSON.stringify(body["conditions"] ?? []),
    condition_logic: "AND",
    actions: JSON.stringify(body["actions"] ?? []),
    last_run: null,
    run_count: 0,
    template_id: null,
    last_watchdog_alert: null,
    created_at: made,
    updated_at: made,
  };
  site.automations.push(row);
  return { status: 201, body: row };
}

function update(row: CoreAutomation, { body, now }: CoreCall): CoreAnswer {
  if (typeof body["name"] === "string") row.name = body["name"];
  if (typeof body["description"] === "string") row.description = body["description"];
  if (body["actions"] !== undefined) row.actions = JSON.stringify(body["actions"]);
  if (body["trigger_config"] !== undefined) row.trigger_config = JSON.stringify(body["trigger_config"]);
  row.updated_at = sqliteTime(now);
  return ok(row);
}

function remove(row: CoreAutomation, { site }: CoreCall): CoreAnswer {
  site.automations.splice(site.automations.indexOf(row), 1);
  return ok({ message: "Automation deleted successfully" });
}

/** A body is not looked at: it is the other way round than before, always. */
function toggle(row: CoreAutomation, { now }: CoreCall): CoreAnswer {
  row.enabled = row.enabled === 1 ? 0 : 1;
  row.updated_at = sqliteTime(now);
  return ok({ enabled: row.enabled === 1 });
}

/** Runs disabled ones, too, and calls every run a success, whatever became of its actions. */
function trigger(row: CoreAutomation, { site, knobs, now }: CoreCall): CoreAnswer {
  const actions = JSON.parse(row.actions) as readonly Action[]; // this fake's own text
  const executed = actions.map(({ type, equipment_id, channel, action }) => {
    const board = site.equipment.find(({ id }) => id === equipment_id);
    const done = { type, action, equipment: board?.name ?? null, channel };
    if (!board || knobs.deviceError !== undefined)
      return { ...done, status: "error", error: knobs.deviceError ?? "Equipment not found" };
    write(board, channel ?? 0, action === "on", now);
    return { ...done, status: "executed" };
  });
  row.run_count += 1;
  row.last_run = isoTime(now);
  return ok({
    success: true,
    automation_id: row.id,
    automation_name: row.name,
    trigger_type: "manual",
    executed_actions: executed,
    run_count: row.run_count,
    last_run: row.last_run,
    message: `Automation "${row.name}" executed`,
  });
}
