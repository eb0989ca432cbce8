import { isJsonObject, type Json, type JsonObject, type SteadingError, type ToolContext } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import { channelThing } from "../model/relay-effect.ts";
import { carryOutCommand } from "./bridge-command.ts";
import { bridgeError } from "./bridge-errors.ts";
import type { CoreClient } from "./core-client.ts";
import { others, toFlag, toList, toObject, toText, toTime, toWhole } from "./core-values.ts";
import type { CoreView } from "./core-view.ts";

export interface BridgeWrites {
  controlRelay(
    wanted: {
      equipment_id: number;
      channel: number;
      state: boolean;
      duration_seconds?: number | undefined;
      reason?: string | undefined;
    },
    context: ToolContext,
  ): Promise<JsonObject>;
  triggerAutomation(wanted: { automation_id: number }, context: ToolContext): Promise<JsonObject>;
  toggleAutomation(
    wanted: { automation_id: number; enabled?: boolean | undefined },
    context: ToolContext,
  ): Promise<JsonObject>;
}

/** The three tools that change something, each as its one call, through the door. */
export function createBridgeWrites({
  client,
  view,
  events,
}: {
  readonly client: CoreClient;
  readonly view: CoreView;
  /** Called when a run begins and when it ends. */
  readonly events: { run(id: number, change: "started" | "ended"): void };
}): BridgeWrites {
  function channelNumbers(id: number): readonly number[] {
    return (view.findEquipment(id)?.metrics ?? []).filter(({ isChannel }) => isChannel).map(({ address }) => address);
  }

  /** The reference writes to whatever coil it is told; a channel that is known not to be there is not sent to it. */
  function checkChannel(id: number, channel: number): void {
    const numbers = channelNumbers(id);
    if (!view.isFresh() || numbers.length === 0 || numbers.includes(channel)) return;
    throw farmError("CHANNEL_UNKNOWN", `Equipment ${id} has no channel ${channel}. ${channels(numbers)}`, {
      details: { equipment_id: id, channels: [...numbers] },
    });
  }

  function equipmentChoices(id: number): string | undefined {
    const numbers = channelNumbers(id);
    if (numbers.length > 0) return channels(numbers);
    return choices(view.equipment.map((each) => each.id));
  }

  return {
    async controlRelay({ equipment_id: id, channel, state, duration_seconds: duration, reason }, context) {
      // A core that does not know the word would switch on and never off again.
      if (duration !== undefined) {
        throw farmError(
          "NOT_AVAILABLE",
          "A duration cannot be asked of a core that runs elsewhere; switch it off yourself.",
        );
      }
      checkChannel(id, channel);
      const before = stateOf(view, id, channel);
      const answer = await carryOutCommand(
        {
          effect: {
            arguments: {
              equipment_id: id,
              channel,
              state,
              source: "mcp",
              ...(reason === undefined ? {} : { reason }),
            },
            target: `farm.equipment:${id}`,
            things: [channelThing(channel)],
            toward: state ? "live" : "safe",
            summary: `Switch channel ${channel} of equipment ${id} ${state ? "on" : "off"}, through its core.`,
            ...(before === undefined ? {} : { before }),
          },
          call: {
            method: "POST",
            path: `/api/equipment/${id}/relay/control`,
            body: { channel, state },
            about: { kind: "equipment", id, command: true, choices: equipmentChoices(id) },
          },
          read: (body) => switchedJson(body, { id, channel, state }),
        },
        { context, client },
      );
      view.switched(id, channel, state);
      return answer;
    },

    async triggerAutomation({ automation_id: id }, context) {
      let started = false;
      try {
        return await carryOutCommand(
          {
            effect: {
              arguments: { automation_id: id },
              // One run at a time; but who disables a program must not wait until its run has ended.
              target: `farm.automation:${id}:run`,
              toward: "live",
              summary: `Run automation ${id} once, through its core.`,
            },
            call: { method: "POST", path: `/api/automations/${id}/trigger`, about: automationSubject(id) },
            sending() {
              started = true;
              events.run(id, "started");
            },
            read: (body) => ranJson(body, id),
          },
          { context, client },
        );
      } finally {
        if (started) events.run(id, "ended");
      }
    },

    async toggleAutomation({ automation_id: id, enabled: wanted }, context) {
      const answer = await carryOutCommand(
        {
          effect: {
            arguments: { automation_id: id, ...(wanted === undefined ? {} : { enabled: wanted }) },
            target: `farm.automation:${id}`,
            toward: wanted === false ? "safe" : "live",
            summary: `${wanted === undefined ? "Enable or disable" : wanted ? "Enable" : "Disable"} automation ${id}, through its core.`,
          },
          call: {
            method: "POST",
            path: `/api/automations/${id}/toggle`,
            ...(wanted === undefined ? {} : { body: { enabled: wanted } }),
            about: automationSubject(id),
          },
          async read(body, ask) {
            // The reference only ever turns to the other state: what was right before is turned back.
            const turned = wanted === undefined || enabledIn(body) === wanted ? body : await ask();
            checkAbout(turned["automation_id"] ?? turned["id"] ?? toObject(turned["automation"])?.["id"], id);
            const enabled = enabledIn(turned);
            if (enabled === undefined || (wanted !== undefined && enabled !== wanted)) {
              throw bridgeError("CORE_GARBLED", `The core does not say whether automation ${id} is enabled.`);
            }
            return { ...others(turned, { automation: null }), enabled, id, name: nameIn(turned, id, view) };
          },
        },
        { context, client },
      );
      view.toggled(id, answer["enabled"] === true);
      return answer;
    },
  };

  function automationSubject(id: number) {
    const known = choices(view.automations.map((each) => each.id));
    return { kind: "automation", id, command: true, choices: known } as const;
  }
}

function switchedJson(body: JsonObject, wanted: { id: number; channel: number; state: boolean }): JsonObject {
  const { id, channel, state } = wanted;
  const writeOnly = toFlag(body["writeOnly"]) ?? false;
  const confirmed = toFlag(body["confirmed"]);
  // Good news about something else is none about this.
  const isAnother =
    differs(body["channel"], channel, toWhole) ||
    differs(body["equipment_id"] ?? body["equipmentId"], id, toWhole) ||
    differs(body["state"], state, toFlag);
  if (toFlag(body["success"]) === false || (confirmed === false && !writeOnly) || isAnother) {
    throw unconfirmed(id, channel, state);
  }
  // What the core does not say is not taken for said.
  const known = { success: true, channel, state, writeOnly, confirmed: confirmed ?? false };
  return { ...known, ...others(body, { ...known, receipt: null }) };
}

/** Does the core say something else than what it was asked? Not every core says it at all. */
function differs<T>(said: Json | undefined, asked: T, read: (value: Json | undefined) => T | undefined): boolean {
  return said !== undefined && said !== null && read(said) !== asked;
}

function checkAbout(said: Json | undefined, id: number): void {
  if (!differs(said, id, toWhole)) return;
  throw bridgeError("CORE_GARBLED", `The core was asked about automation ${id} and answered about another one.`);
}

function unconfirmed(id: number, channel: number, state: boolean): SteadingError {
  const what = `Channel ${channel} of equipment ${id}`;
  return farmError("DEVICE_UNCONFIRMED", `${what} is not confirmed to be ${state ? "on" : "off"} by the core.`, {
    details: { equipment_id: id, channel },
  });
}

function ranJson(body: JsonObject, id: number): JsonObject {
  checkAbout(body["automation_id"], id);
  const known = {
    success: toFlag(body["success"]) ?? true,
    automation_id: id,
    executed_actions: toList(body["executed_actions"]),
    last_run: toTime(body["last_run"]),
    run_count: toWhole(body["run_count"]) ?? null,
  };
  return { ...known, ...others(body, { ...known, receipt: null }) };
}

function enabledIn(body: JsonObject): boolean | undefined {
  return toFlag(body["enabled"] ?? toObject(body["automation"])?.["enabled"]);
}

function nameIn(body: JsonObject, id: number, view: CoreView): string {
  const told =
    toText(body["name"]) ?? toText(body["automation_name"]) ?? toText(toObject(body["automation"])?.["name"]);
  return told ?? view.findAutomation(id)?.name ?? `Automation ${id}`;
}

function stateOf(view: CoreView, id: number, channel: number): boolean | undefined {
  const rows = toList(view.findEquipment(id)?.row["channels"]).filter(isJsonObject);
  return toFlag(rows.find((each) => each["channel"] === channel)?.["state"]);
}

function channels(numbers: readonly number[]): string {
  return `Its channels are ${numbers.join(", ")}.`;
}

function choices(ids: readonly number[]): string | undefined {
  return ids.length === 0 ? undefined : `There is ${ids.slice(0, 20).join(", ")}.`;
}
