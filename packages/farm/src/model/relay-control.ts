import {
  receiptJson,
  type AskedEffect,
  type Door,
  type JsonObject,
  type Outcome,
  type SteadingError,
} from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Metric } from "../modbus/register-mapping.ts";
import { boardEffect, registerBoardObserver, spanOf } from "./board-effect.ts";
import { channelsOf, checkState, findChannel, type Channel } from "./channel.ts";
import type { Field } from "./field.ts";
import { iso } from "./instant.ts";
import { checkDuration } from "./on-board-pulse.ts";
import { registerRelayObserver, relayEffect, type RelaySource } from "./relay-effect.ts";
import { createRelayRecords, type AutoOff, type RelayRecordsDeps } from "./relay-records.ts";
import type { Equipment } from "./rows.ts";

export type Perform = (effect: AskedEffect) => Promise<Outcome>;

export interface SwitchRequest {
  readonly equipmentId: number;
  readonly channel: unknown;
  readonly state: unknown;
  readonly source: RelaySource;
  readonly reason?: string | undefined;
  readonly automationId?: number | undefined;
  /** Off again after so long. Only what counts the time out by itself can be asked for it. */
  readonly durationSeconds?: unknown;
}

/** `{ success, channel, state, writeOnly, confirmed }` and the receipt. */
export type Switched = JsonObject & { readonly success: true; readonly channel: number; readonly confirmed: boolean };

export interface RelayControl {
  /** Throws before a byte leaves for anything that makes no sense, and when the relay cannot be shown to have switched. */
  switch(request: SwitchRequest, perform: Perform): Promise<Switched>;
  effectFor(request: SwitchRequest): AskedEffect;
  /** When a channel will go off by itself; undefined when nothing says so. */
  autoOff(equipmentId: number, channel: number): AutoOff | undefined;
  /** Every channel of a board. `state` for all of them, or one for each in the order of the mappings. */
  switchAll(
    equipmentId: number,
    state: boolean | readonly boolean[],
    source: RelaySource,
    perform: Perform,
  ): Promise<JsonObject>;
}

export interface RelayControlDeps extends RelayRecordsDeps {
  readonly field: Field;
  readonly door: Pick<Door, "registerObserver" | "registerInterlock">;
}

export function createRelayControl(deps: RelayControlDeps): RelayControl {
  const { book, field, door } = deps;
  registerRelayObserver({ door, book, field });
  registerBoardObserver({ door, book, field });
  const records = createRelayRecords(deps);
  door.registerInterlock(records.interlock);

  function effectFor({ equipmentId, channel, state, durationSeconds, ...rest }: SwitchRequest): AskedEffect {
    const on = checkState(state);
    const found = findChannel(book, equipmentId, channel, { on });
    const order = { channel: found, on, ...rest, durationSeconds: checkDuration(durationSeconds, on) };
    return relayEffect(order, { book, field });
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
      ...autoOffJson(found.equipment.id, found.metric.address),
      receipt: receiptJson(outcome.receipt),
    };
  }

  function autoOffJson(equipmentId: number, channel: number): JsonObject {
    const off = records.autoOff(equipmentId, channel);
    return off ? { auto_off_at: iso(off.at), auto_off_reason: off.reason } : {};
  }

  type Wanted = readonly { readonly metric: Metric; readonly on: boolean }[];

  /** Boards that do not know the frame for all coils. One for each device at most. */
  const singleOnly = new Set<number>();

  /**
   * One frame for the whole board. `refused`: before a byte left, and what goes off still must. `unknown`: the board does
   * not know that frame, and each channel has to be switched by itself.
   */
  async function together(
    equipment: Equipment,
    wanted: Wanted,
    source: RelaySource,
    perform: Perform,
  ): Promise<{ readonly confirmed: boolean } | { readonly refused: Error } | "unknown"> {
    const ordered = wanted.toSorted((a, b) => a.metric.address - b.metric.address);
    const [first] = ordered;
    if (!first) return { confirmed: true };
    const order = { equipment, from: first.metric.address, states: ordered.map(({ on }) => on), source };
    let outcome: Outcome;
    try {
      outcome = await perform(boardEffect(order, { field }));
    } catch (error) {
      return { refused: error instanceof Error ? error : new Error(String(error)) };
    }
    const { stage } = outcome.receipt;
    if (stage === "failed" && outcome.error?.code === "DEVICE_EXCEPTION") {
      singleOnly.add(equipment.id);
      return "unknown";
    }
    if (stage === "observed" || (equipment.write_only && stage === "acknowledged")) {
      return { confirmed: stage === "observed" };
    }
    const state = book.state(equipment.id);
    const wrong = ordered.find(({ metric, on }) => state.channels.get(metric.address)?.on !== on) ?? first;
    throw notSwitched({ equipment, metric: wrong.metric }, wrong.on, outcome);
  }

  async function oneByOne(
    equipment: Equipment,
    wanted: Wanted,
    source: RelaySource,
    perform: Perform,
  ): Promise<readonly Switched[]> {
    // What goes off goes first: in between, less is on rather than more.
    const ordered = wanted.toSorted((a, b) => Number(a.on) - Number(b.on));
    const results: Switched[] = [];
    let failure: Error | undefined;
    for (const { metric, on } of ordered) {
      // After a failure nothing more goes on, but everything that should go off still does.
      if (failure !== undefined && on) break;
      const request = { equipmentId: equipment.id, channel: metric.address, state: on, source };
      try {
        const found = findChannel(book, equipment.id, metric.address, { on });
        results.push(await carryOut(found, on, effectFor(request), perform));
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
      }
    }
    if (failure !== undefined) throw failure;
    return results;
  }

  /** What keeps any of them from being switched: all are refused for it then, before a byte leaves. */
  function lackOf({ id }: Equipment, wanted: Wanted): Error | undefined {
    try {
      for (const { metric, on } of wanted) findChannel(book, id, metric.address, { on });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    effectFor,
    autoOff: (equipmentId, channel) => records.autoOff(equipmentId, channel),
    async switch(request, perform) {
      const on = checkState(request.state);
      const found = findChannel(book, request.equipmentId, request.channel, { on });
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
      const canFrame = spanOf(channels) && !singleOnly.has(equipmentId);
      const lacking = lackOf(equipment, wanted);
      const asOne = lacking
        ? { refused: lacking }
        : canFrame
          ? await together(equipment, wanted, source, perform)
          : "unknown";
      if (asOne !== "unknown" && "refused" in asOne) {
        const offs = wanted.filter(({ on }) => !on);
        await oneByOne(equipment, offs, source, perform);
        throw asOne.refused;
      }
      const confirmed =
        asOne !== "unknown"
          ? asOne.confirmed
          : (await oneByOne(equipment, wanted, source, perform)).every((each) => each.confirmed);
      return {
        success: true,
        channels: wanted.length,
        state: typeof state === "boolean" ? state : wanted.map(({ on }) => on),
        writeOnly: equipment.write_only,
        confirmed,
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
  if (error?.code === "SUPERSEDED") {
    return farmError("DEVICE_UNCONFIRMED", `${what} was written; an OFF went first, so nobody has read it back yet.`, {
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
