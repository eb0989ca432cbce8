import { farmError } from "../farm-errors.ts";
import { isCommandCoil } from "../modbus/command-coils.ts";
import { countsTime, type Metric } from "../modbus/register-mapping.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { Equipment } from "./rows.ts";

/** A channel that may be switched, with everything checked that can be known without asking the device. */
export interface Channel {
  readonly equipment: Equipment;
  readonly metric: Metric;
}

/** The relay channels of equipment, in the order of its mappings. */
export function channelsOf(book: EquipmentBook, equipment: Equipment): readonly Metric[] {
  const pulses = equipment.register_mappings.some(countsTime);
  return book.metrics(equipment).filter(({ isChannel, address }) => isChannel && !isCommandCoil(address, { pulses }));
}

/**
 * Takes what a caller sent, whatever it is. A channel that is not mapped and a number that is none are the caller's
 * mistake, and cost no byte: a guess here would switch something else. Disabled equipment goes off, never on.
 */
export function findChannel(
  book: EquipmentBook,
  equipmentId: number,
  channel: unknown,
  { on }: { readonly on: boolean },
): Channel {
  const equipment = book.get(equipmentId);
  const { id, name, protocol, enabled } = equipment;
  const channels = channelsOf(book, equipment);
  const metric = typeof channel === "number" ? channels.find(({ address }) => address === channel) : undefined;
  if (!metric) {
    const numbers = channels.map(({ address }) => address);
    const has = numbers.length === 0 ? "It has no relay channels." : `Its channels are ${numbers.join(", ")}.`;
    throw farmError("CHANNEL_UNKNOWN", `Equipment ${id} has no channel ${shown(channel)}. ${has}`, {
      details: { equipment_id: id, channels: numbers },
    });
  }
  if (!enabled && on)
    throw farmError("EQUIPMENT_DISABLED", `Equipment ${id} is disabled.`, { details: { equipment_id: id } });
  if (protocol !== "modbus" || equipment.address === null) {
    throw farmError("NOT_SWITCHABLE", `Equipment ${id} has no Modbus address, so it cannot be switched.`, {
      details: { equipment_id: id, name },
    });
  }
  return { equipment, metric };
}

/** What turns a channel round has to know how it is, and a board that never answers cannot say. */
export function checkKnowable({ id, write_only }: Equipment): void {
  if (!write_only) return;
  throw farmError(
    "NOT_SWITCHABLE",
    `Equipment ${id} never answers, so nobody knows what there is to toggle; say on or off.`,
    {
      details: { equipment_id: id },
    },
  );
}

/** A switch takes true or false and nothing that only looks like it: the text "false" would switch on. */
export function checkState(state: unknown): boolean {
  if (typeof state === "boolean") return state;
  throw farmError("BAD_INPUT", `state must be true or false, not ${shown(state)}.`, { details: { field: "state" } });
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 40);
}
