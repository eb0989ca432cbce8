import {
  millis,
  seconds,
  SteadingError,
  type AskedEffect,
  type Door,
  type Effect,
  type Json,
  type JsonObject,
  type Observe,
} from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Channel } from "./channel.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { Field } from "./field.ts";

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
}

/** A board that never answers gets this long to take a command. */
const WRITE_ONLY_WAIT = millis(1_500);
/** Two writes and a read, each at its time-out at worst; the client gives up after ten seconds. */
const SEND_DEADLINE = seconds(6);
const LOOK_DEADLINE = seconds(2);

/** What switching one channel does. Every way to a relay goes through this, so every way has the same rules. */
export function relayEffect(
  { channel, on, source, reason, automationId }: SwitchOrder,
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
  };
  return {
    arguments: effectArguments,
    target: relayTarget(equipment.id),
    toward: on ? "live" : "safe",
    summary: `Switch channel ${metric.address} of equipment ${equipment.id} ${on ? "on" : "off"}.`,
    observer: RELAY_OBSERVER,
    observeWith: { equipment_id: equipment.id, channel: metric.address, state: on },
    ...(typeof before === "boolean" ? { before } : {}),
    drive: { send: (wire, signal) => drive({ channel, on, field, firstByte: () => wire.firstByte(), signal }) },
    sendDeadline: SEND_DEADLINE,
    observeDeadline: equipment.write_only ? millis(0) : LOOK_DEADLINE,
  };
}

/** One lane for each board: its coils share one wire and one supply. */
function relayTarget(equipmentId: number): string {
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

interface Driving {
  readonly channel: Channel;
  readonly on: boolean;
  readonly field: Field;
  readonly firstByte: () => void;
  readonly signal: AbortSignal;
}

/**
 * Writes, reads back, and writes once more when the coil says otherwise. Silence after a write decides nothing: the
 * read-back does. What it shows is looked at once more by the door, which alone can call it observed.
 */
async function drive(driving: Driving): Promise<Json> {
  const { channel, on, field, signal } = driving;
  const { equipment, metric } = channel;
  let echoed = await write(driving);
  if (equipment.write_only) {
    field.assume(equipment, metric.address, on);
    return { echoed };
  }
  const priority = on ? "command" : "safety";
  const seen = await field.readChannel(equipment, metric.address, { priority, signal });
  if (seen.value === on) return { echoed };
  echoed = await write(driving);
  return { echoed, rewritten: true };
}

/** True when the board echoed the write; false when it did not, and nobody can tell yet what became of it. */
async function write({ channel, on, field, firstByte, signal }: Driving): Promise<boolean> {
  const { equipment, metric } = channel;
  const bus = field.busOf(equipment);
  if (!bus) throw farmError("NOT_SWITCHABLE", `Equipment ${equipment.id} has no bus.`);
  let left = false;
  if (on) await field.stagger(equipment.id, signal);
  try {
    await bus.ask(
      { kind: "write-coil", unit: equipment.slave_id ?? 1, address: metric.address, on },
      {
        priority: on ? "command" : "safety",
        signal,
        ...(equipment.write_only ? { timeout: WRITE_ONLY_WAIT } : {}),
        firstByte: () => {
          firstByte();
          left = true;
        },
      },
    );
    return true;
  } catch (error) {
    const answered = error instanceof SteadingError && error.details?.["exception"] !== undefined;
    if (left && !answered && !signal.aborted) return false;
    throw error;
  }
}
