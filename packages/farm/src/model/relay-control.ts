import {
  receiptJson,
  type SteadingError,
  type AskedEffect,
  type Door,
  type Interlock,
  type JsonObject,
  type Outcome,
  type Stage,
} from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Alerts } from "./alerts.ts";
import { channelsOf, checkState, findChannel, type Channel } from "./channel.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { FarmEvents } from "./farm-events.ts";
import type { Field } from "./field.ts";
import { isRelayEffect, registerRelayObserver, RELAY_SOURCES, relayEffect, type RelaySource } from "./relay-effect.ts";
import type { RelayEvent } from "./rows.ts";
import type { Tables } from "./tables.ts";

export type Perform = (effect: AskedEffect) => Promise<Outcome>;

export interface SwitchRequest {
  readonly equipmentId: number;
  readonly channel: unknown;
  readonly state: unknown;
  readonly source: RelaySource;
  readonly reason?: string | undefined;
  readonly automationId?: number | undefined;
}

/** `{ success, channel, state, writeOnly, confirmed }` and the receipt. */
export type Switched = JsonObject & { readonly success: true; readonly channel: number; readonly confirmed: boolean };

export interface RelayControl {
  /** Throws before a byte leaves for anything that makes no sense, and when the relay cannot be shown to have switched. */
  switch(request: SwitchRequest, perform: Perform): Promise<Switched>;
  effectFor(request: SwitchRequest): AskedEffect;
  /** Every channel of a board. `state` for all of them, or one for each in the order of the mappings. */
  switchAll(
    equipmentId: number,
    state: boolean | readonly boolean[],
    source: RelaySource,
    perform: Perform,
  ): Promise<JsonObject>;
}

export interface RelayControlDeps {
  readonly book: EquipmentBook;
  readonly field: Field;
  readonly door: Pick<Door, "registerObserver" | "registerInterlock">;
  readonly tables: Tables;
  readonly alerts: Alerts;
  readonly events: FarmEvents;
  readonly now: () => number;
  readonly onError: (message: string, error: unknown) => void;
}

export function createRelayControl(deps: RelayControlDeps): RelayControl {
  const { book, field, door } = deps;
  registerRelayObserver({ door, book, field });
  door.registerInterlock(relayRecords(deps));

  function effectFor({ equipmentId, channel, state, ...rest }: SwitchRequest): AskedEffect {
    const on = checkState(state);
    return relayEffect({ channel: findChannel(book, equipmentId, channel), on, ...rest }, { book, field });
  }

  async function carryOut(found: Channel, on: boolean, effect: AskedEffect, perform: Perform): Promise<Switched> {
    const outcome = await perform(effect);
    const { stage } = outcome.receipt;
    const writeOnly = found.equipment.write_only;
    if (stage !== "observed" && !(writeOnly && stage === "acknowledged")) throw notSwitched(found, on, outcome);
    return {
      success: true,
      channel: found.metric.address,
      state: on,
      writeOnly,
      confirmed: stage === "observed",
      receipt: receiptJson(outcome.receipt),
    };
  }

  return {
    effectFor,
    async switch(request, perform) {
      const on = checkState(request.state);
      const found = findChannel(book, request.equipmentId, request.channel);
      return carryOut(found, on, effectFor(request), perform);
    },
    async switchAll(equipmentId, state, source, perform) {
      const equipment = book.get(equipmentId);
      const channels = channelsOf(book, equipment);
      if (channels.length === 0) {
        throw farmError("CHANNEL_UNKNOWN", `Equipment ${equipmentId} has no relay channels.`);
      }
      if (Array.isArray(state) && state.length !== channels.length) {
        throw farmError("BAD_INPUT", `states must have ${channels.length} entries, one for each channel.`);
      }
      const wanted = channels.map((metric, i) => ({
        metric,
        on: typeof state === "boolean" ? state : state[i] === true,
      }));
      // What goes off goes first: in between, less is on rather than more.
      const ordered = wanted.toSorted((a, b) => Number(a.on) - Number(b.on));
      const results: Switched[] = [];
      let failure: Error | undefined;
      for (const { metric, on } of ordered) {
        // After a failure nothing more goes on, but everything that should go off still does.
        if (failure !== undefined && on) break;
        const request = { equipmentId, channel: metric.address, state: on, source };
        const found = findChannel(book, equipmentId, metric.address);
        try {
          results.push(await carryOut(found, on, effectFor(request), perform));
        } catch (error) {
          failure ??= error instanceof Error ? error : new Error(String(error));
        }
      }
      if (failure !== undefined) throw failure;
      return {
        success: true,
        channels: results.length,
        state: typeof state === "boolean" ? state : wanted.map(({ on }) => on),
        writeOnly: equipment.write_only,
        confirmed: results.every(({ confirmed }) => confirmed),
      };
    },
  };
}

function notSwitched({ equipment, metric }: Channel, on: boolean, { receipt, error }: Outcome): SteadingError {
  const details = { equipment_id: equipment.id, channel: metric.address, receipt: receiptJson(receipt) };
  const what = `Channel ${metric.address} of equipment ${equipment.id}`;
  if (error?.code === "DEVICE_TIMEOUT" || error?.code === "TIMEOUT") {
    return farmError("DEVICE_TIMEOUT", `${what} did not answer; whether it is ${on ? "on" : "off"} is not known.`, {
      details,
    });
  }
  if (error?.code === "GATEWAY_DOWN") {
    return farmError(
      "GATEWAY_DOWN",
      `${what}: the gateway went away; whether it is ${on ? "on" : "off"} is not known.`,
      {
        details,
      },
    );
  }
  if (error?.code === "DEVICE_EXCEPTION")
    return farmError("DEVICE_EXCEPTION", `${what}: ${error.message}`, { details });
  return farmError("DEVICE_UNCONFIRMED", `${what} does not read back as ${on ? "on" : "off"}.`, { details });
}

/**
 * What every switch leaves behind, whoever asked for it and by whichever way. It refuses nothing: it is an interlock
 * because those hear how every effect ended.
 */
function relayRecords({ book, tables, alerts, events, now, onError }: RelayControlDeps): Interlock {
  function row(
    effect: { readonly arguments: JsonObject; readonly caller: { readonly principal: string } },
    confirmed: boolean,
  ): RelayEvent | undefined {
    const { equipment_id, channel, state, source, automation_id } = effect.arguments;
    if (typeof equipment_id !== "number" || typeof channel !== "number" || typeof state !== "boolean") return undefined;
    return {
      id: tables.nextId("relay_events"),
      equipment_id,
      channel,
      state,
      source: RELAY_SOURCES.find((each) => each === source) ?? "manual",
      automation_id: typeof automation_id === "number" ? automation_id : null,
      user_id: effect.caller.principal,
      confirmed,
      generation: book.state(equipment_id).generations.get(channel) ?? 0,
      created_at: now(),
    };
  }

  async function record(event: RelayEvent, stage: Stage): Promise<void> {
    const { equipment_id, channel } = event;
    const fingerprint = `relay_unconfirmed:${equipment_id}:${channel}`;
    await tables.commit([{ table: "relay_events", put: event }]);
    if (event.confirmed) return alerts.clear(fingerprint);
    if (stage === "acknowledged") return; // a board that never answers cannot be confirmed, and that is known
    const wanted = event.state ? "on" : "off";
    await alerts.raise({
      severity: "critical",
      message: `Channel ${channel} of equipment ${equipment_id} was switched ${wanted} and does not read back so`,
      source: "relay",
      equipmentId: equipment_id,
      fingerprint,
    });
  }

  return {
    name: "farm.relay-records",
    applies: isRelayEffect,
    check: () => undefined,
    admitted({ arguments: { equipment_id, channel } }) {
      if (typeof equipment_id !== "number" || typeof channel !== "number") return;
      const { generations } = book.state(equipment_id);
      generations.set(channel, (generations.get(channel) ?? 0) + 1);
    },
    ended(effect, stage) {
      if (stage === undefined) return;
      const event = row(effect, stage === "observed");
      const equipment = event && book.find(event.equipment_id);
      if (!event || !equipment) return;
      events.emit({
        kind: "relay",
        id: equipment.id,
        data: {
          equipmentId: equipment.id,
          channel: event.channel,
          state: event.state,
          writeOnly: equipment.write_only,
          confirmed: event.confirmed,
          source: event.source,
          ...(event.automation_id === null ? {} : { automationId: event.automation_id }),
        },
      });
      record(event, stage).catch((error: unknown) => onError("A switch could not be recorded.", error));
    },
  };
}
