import { SteadingError, type JsonObject } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Alerts } from "./alerts.ts";
import { AutomationAction } from "./automation-input.ts";
import type { Run } from "./automation-runs.ts";
import { channelsOf, checkKnowable, findChannel } from "./channel.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { Field } from "./field.ts";
import type { Perform, RelayControl } from "./relay-control.ts";
import { setRegister } from "./set-register.ts";
import type { Automation } from "./rows.ts";

export interface RunDeps {
  readonly book: EquipmentBook;
  readonly field: Field;
  readonly relays: RelayControl;
  readonly alerts: Alerts;
}

type ControlAction = Extract<AutomationAction, { type: "control" }>;

/**
 * Runs the actions of an automation in order and tells what became of each. After a failed control nothing more is
 * switched on, and of a run that was stopped nothing more is done at all, but everything that should go off still does.
 */
export async function runActions(run: Run, given: Perform, deps: RunDeps): Promise<readonly JsonObject[]> {
  const { automation } = run;
  const perform = run.guard(given);
  const results: JsonObject[] = [];
  let failed = false;
  for (const raw of automation.actions) {
    const action = AutomationAction.safeParse(raw);
    if (!action.success) {
      results.push({
        type: raw["type"] ?? null,
        status: "error",
        error: "This kind of action is not known.",
      });
      failed = true;
      continue;
    }
    const why = isOff(action.data) ? undefined : reasonToLeaveOut(action.data, run, failed);
    if (why !== undefined) {
      results.push({ ...shown(action.data, deps), status: "error", error: `Left out: ${why}.` });
      continue;
    }
    try {
      results.push(await carryOut(action.data, automation, perform, deps));
    } catch (error) {
      failed = true;
      const told = error instanceof SteadingError ? error.message : "It failed inside.";
      results.push({ ...shown(action.data, deps), status: "error", error: told });
    }
  }
  return results;
}

function isOff(action: AutomationAction): boolean {
  return action.type === "control" && action.action === "off";
}

function reasonToLeaveOut({ type }: AutomationAction, { stopped }: Run, failed: boolean): string | undefined {
  // Its alerts and its log would tell of things that did not happen.
  if (stopped !== undefined) return stopped;
  return failed && type === "control" ? "an action before it failed" : undefined;
}

async function carryOut(
  action: AutomationAction,
  automation: Automation,
  perform: Perform,
  deps: RunDeps,
): Promise<JsonObject> {
  switch (action.type) {
    case "log":
      return { ...shown(action, deps), status: "executed" };
    case "alert": {
      const { severity, message, equipment_id, zone_id, fingerprint } = action;
      await deps.alerts.raise({
        severity,
        message,
        source: "automation",
        equipmentId: equipment_id,
        zoneId: zone_id,
        automationId: automation.id,
        fingerprint,
      });
      return { ...shown(action, deps), status: "executed" };
    }
    case "control":
      return control(action, automation, perform, deps);
  }
}

async function control(
  action: ControlAction,
  automation: Automation,
  perform: Perform,
  deps: RunDeps,
): Promise<JsonObject> {
  const { equipment_id: equipmentId, channel, delay_seconds, duration_seconds } = action;
  // Timers on disk are not built yet, and one in memory is lost with the hub; a board that counts by itself needs none.
  if ((delay_seconds ?? 0) > 0) {
    throw farmError("NOT_AVAILABLE", "Delayed switching is not built yet, so nothing was switched.");
  }
  const { book, field, relays } = deps;
  if (action.action === "set") {
    const { target, value, confirmed } = await setRegister(
      { equipmentId, value: action.value },
      { book, field, perform },
    );
    return {
      ...shown(action, deps),
      status: "executed",
      target: target ?? null,
      value: value ?? null,
      confirmed: confirmed ?? false,
    };
  }
  const numbers =
    channel === null || channel === undefined
      ? channelsOf(book, book.get(equipmentId)).map(({ address }) => address)
      : [channel];
  if (numbers.length === 0) throw farmError("CHANNEL_UNKNOWN", `Equipment ${equipmentId} has no relay channels.`);
  const switched: JsonObject[] = [];
  let failure: Error | undefined;
  for (const number of numbers) {
    try {
      const on = await wanted(action, equipmentId, number, deps);
      // After a failure nothing more goes on, but everything that should go off still does.
      if (failure !== undefined && on) continue;
      const request = {
        equipmentId,
        channel: number,
        state: on,
        source: "automation",
        automationId: automation.id,
        ...(on && (duration_seconds ?? 0) > 0 ? { durationSeconds: duration_seconds } : {}),
      } as const;
      const { confirmed } = await relays.switch(request, perform);
      switched.push({ channel: number, state: on, confirmed });
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error(String(error));
    }
  }
  if (failure !== undefined) throw failure;
  const single = channel === null || channel === undefined ? { channels: switched } : {};
  return { ...shown(action, deps), status: "executed", ...single };
}

/** A toggle looks at the coil first: the last thing we heard may be long ago. */
async function wanted(
  { action }: ControlAction,
  equipmentId: number,
  channel: number,
  { book, field }: RunDeps,
): Promise<boolean> {
  if (action !== "toggle") return action === "on";
  const { equipment } = findChannel(book, equipmentId, channel, { on: false });
  checkKnowable(equipment);
  const seen = await field.readChannel(equipment, channel, { priority: "command" });
  return !seen.value;
}

/** What an action is about, without what became of it. */
function shown(action: AutomationAction, { book }: RunDeps): JsonObject {
  if (action.type === "log") return { type: "log", message: action.message };
  if (action.type === "alert") return { type: "alert", severity: action.severity, message: action.message };
  const { equipment_id, channel = null, delay_seconds = null, duration_seconds = null } = action;
  const equipment = book.find(equipment_id);
  const metric = equipment && book.metrics(equipment).find((each) => each.isChannel && each.address === channel);
  return {
    type: "control",
    action: action.action,
    equipment: equipment?.name ?? null,
    equipment_id,
    channel,
    channel_name: action.channel_name ?? metric?.label ?? metric?.name ?? null,
    delay_seconds,
    duration_seconds,
  };
}
