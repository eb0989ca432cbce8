import {
  millis,
  seconds,
  type AskedEffect,
  type Door,
  type Effect,
  type JsonObject,
  type Observe,
} from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Channel } from "./channel.ts";
import { driveCoils } from "./coil-write.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { Field } from "./field.ts";
import { pulseCommand } from "./on-board-pulse.ts";

/** The name under which the door finds back to a channel after a crash. */
const RELAY_OBSERVER = "farm.relay";

/** Who asked for a switch, as the relay events tell it. */
export const RELAY_SOURCES = ["manual", "automation", "all_channels", "mcp"] as const;
export type RelaySource = (typeof RELAY_SOURCES)[number];

export interface SwitchOrder {
  readonly channel: Channel;
  readonly on: boolean;
  readonly source: RelaySource;
  readonly reason?: string | undefined;
  readonly automationId?: number | undefined;
  /** Back off after so long, counted by the board. Only with `on`. */
  readonly durationSeconds?: number | undefined;
}

/** Two writes and a read, each at its time-out at worst; the client gives up after ten seconds. */
const SEND_DEADLINE = seconds(6);
const LOOK_DEADLINE = seconds(2);

/** What switching one channel does. Every way to a relay goes through this, so every way has the same rules. */
export function relayEffect(
  { channel, on, source, reason, automationId, durationSeconds }: SwitchOrder,
  { book, field }: { book: EquipmentBook; field: Field },
): AskedEffect {
  const { equipment, metric } = channel;
  const before = book.state(equipment.id).channels.get(metric.address)?.on;
  const effectArguments: JsonObject = {
    equipment_id: equipment.id,
    channel: metric.address,
    state: on,
    source,
    ...(reason === undefined ? {} : { reason }),
    ...(automationId === undefined ? {} : { automation_id: automationId }),
    ...(durationSeconds === undefined ? {} : { duration_seconds: durationSeconds }),
  };
  const { address } = metric;
  const unit = equipment.slave_id ?? 1;
  const request =
    durationSeconds === undefined
      ? ({ kind: "write-coil", unit, address, on } as const)
      : pulseCommand(channel, durationSeconds);
  const priority = on ? "command" : "safety";
  const lasting = durationSeconds === undefined ? "" : ` for ${durationSeconds} s`;
  return {
    arguments: effectArguments,
    target: relayTarget(equipment.id),
    things: [channelThing(metric.address)],
    toward: on ? "live" : "safe",
    summary: `Switch channel ${metric.address} of equipment ${equipment.id} ${on ? "on" : "off"}${lasting}.`,
    observer: RELAY_OBSERVER,
    observeWith: { equipment_id: equipment.id, channel: metric.address, state: on },
    ...(typeof before === "boolean" ? { before } : {}),
    drive: {
      send: (wire, signal) =>
        driveCoils({
          equipment,
          request,
          live: on,
          field,
          firstByte: () => wire.firstByte(),
          signal,
          isDone: async () => (await field.readChannel(equipment, address, { priority, signal })).value === on,
          assume: () => field.assume(equipment, address, on),
        }),
    },
    sendDeadline: SEND_DEADLINE,
    observeDeadline: equipment.write_only ? millis(0) : LOOK_DEADLINE,
  };
}

/** Within a board's lane: a later OFF takes an ON of the same channel back that still waits. */
export function channelThing(address: number): string {
  return `channel:${address}`;
}

/** One lane for each board: its coils share one wire and one supply. */
export function relayTarget(equipmentId: number): string {
  return `farm.equipment:${equipmentId}`;
}

export function isRelayEffect({ observer }: Pick<Effect, "observer">): boolean {
  return observer === RELAY_OBSERVER;
}

export function registerRelayObserver({
  door,
  book,
  field,
}: {
  door: Pick<Door, "registerObserver">;
  book: EquipmentBook;
  field: Field;
}): void {
  door.registerObserver(RELAY_OBSERVER, ({ equipment_id, channel, state }): Observe => ({
    async read(signal) {
      const equipment = typeof equipment_id === "number" ? book.find(equipment_id) : undefined;
      if (!equipment || typeof channel !== "number") {
        throw farmError("EQUIPMENT_UNKNOWN", `The equipment of this action is not there any more.`);
      }
      return field.readChannel(equipment, channel, { priority: state === false ? "safety" : "command", signal });
    },
    satisfies: (value) => value === state,
  }));
}
