import { SteadingError, type Json, type JsonObject } from "@steading/kernel";
import { AutomationAction } from "./automation-input.ts";
import { channelsOf, findChannel } from "./channel.ts";
import { compare, judgeAll, type ConditionDeps } from "./conditions.ts";
import { iso } from "./instant.ts";
import { checkDuration, pulseCommand } from "./on-board-pulse.ts";
import type { Automation } from "./rows.ts";

/** What an automation would do at this moment: everything is looked at, nothing is switched, raised or written. */
export function dryRun(automation: Automation, given: Omit<ConditionDeps, "equipmentId">): JsonObject {
  const { trigger_config: trigger, conditions, condition_logic, actions } = automation;
  const about = trigger["equipment_id"];
  const deps: ConditionDeps = { ...given, equipmentId: typeof about === "number" ? about : undefined };
  const { met, judged } = judgeAll(conditions, condition_logic, deps);
  const told = actions.map((action) => judgeAction(action, deps));
  const failing = told.filter(({ status }) => status === "error").length;
  return {
    automation_id: automation.id,
    automation_name: automation.name,
    status: met ? "success" : "conditions_not_met",
    simulated: true,
    mode: "dry_run",
    timestamp: iso(given.now()),
    summary: {
      enabled: automation.enabled,
      conditions_total: judged.length,
      conditions_met: judged.filter((each) => each.met === true).length,
      conditions_unknown: judged.filter((each) => each.met === null).length,
      condition_logic,
      actions_total: told.length,
      actions_failing: failing,
    },
    trigger: judgeTrigger(trigger, deps),
    conditions: judged.map(({ condition, ...rest }) => ({ ...rest, condition })),
    actions: told,
    message: !met
      ? "The conditions are not met; nothing would be done"
      : failing > 0
        ? `${failing} of ${told.length} actions would fail`
        : `${told.length} actions would be carried out`,
  };
}

function judgeTrigger(trigger: JsonObject, deps: ConditionDeps): JsonObject {
  const { type = "manual", sensor_type, operator, threshold_value } = trigger;
  if (type !== "threshold") {
    // A clock or an event decides these, and neither is there to be looked at.
    return { type, would_fire: type === "manual" ? false : null, config: trigger };
  }
  const { judged } = judgeAll([{ field: sensor_type ?? null, operator: "eq", value: null }], "AND", deps);
  const [found] = judged;
  const actual: Json = found?.actual ?? null;
  const fires =
    actual === null
      ? undefined
      : compare(actual, typeof operator === "string" ? operator : "", threshold_value ?? null);
  const reason = found?.reason;
  return { type, would_fire: fires ?? null, actual, ...(reason === undefined ? {} : { reason }), config: trigger };
}

function judgeAction(raw: JsonObject, { book }: ConditionDeps): JsonObject {
  const parsed = AutomationAction.safeParse(raw);
  if (!parsed.success)
    return { type: raw["type"] ?? null, status: "error", error: "This kind of action is not known." };
  const action = parsed.data;
  if (action.type !== "control") return { type: action.type, status: "would_execute", message: action.message };
  const { equipment_id, channel, action: verb, duration_seconds, delay_seconds } = action;
  const told = { type: "control", action: verb, equipment_id, channel: channel ?? null };
  try {
    const equipment = book.get(equipment_id);
    if ((delay_seconds ?? 0) > 0) return { ...told, status: "error", error: "Delayed switching is not built yet." };
    if (verb === "set") return { ...told, status: "would_execute", equipment: equipment.name };
    const numbers = typeof channel === "number" ? [channel] : channelsOf(book, equipment).map(({ address }) => address);
    const channels = numbers.map((number) => {
      const found = findChannel(book, equipment_id, number, { on: verb !== "off" });
      const lasts = (duration_seconds ?? 0) > 0 && verb !== "off" ? checkDuration(duration_seconds, true) : undefined;
      if (lasts !== undefined) pulseCommand(found, lasts);
      return { channel: number, state: book.state(equipment_id).channels.get(number)?.on ?? null };
    });
    return { ...told, status: "would_execute", equipment: equipment.name, channels };
  } catch (error) {
    if (!(error instanceof SteadingError)) throw error;
    return { ...told, status: "error", error: error.message };
  }
}
