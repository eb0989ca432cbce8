import { millis, seconds, type AskedEffect, type Door, type Effect, type JsonObject } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Metric } from "../modbus/register-mapping.ts";
import { driveCoils } from "./coil-write.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { Field } from "./field.ts";
import { channelThing, relayTarget, type RelaySource } from "./relay-effect.ts";
import type { Equipment } from "./rows.ts";

/** The name under which the door finds back to a whole board after a crash. */
const BOARD_OBSERVER = "farm.relays";

const SEND_DEADLINE = seconds(6);
const LOOK_DEADLINE = seconds(2);
/** Above this a board's coils are commands; and one frame carries no more. */
const MOST_TOGETHER = 255;

/**
 * The coils that one frame may switch: side by side without a gap, for a coil in a gap is switched as well, and nobody
 * has said that it may be. Undefined: each by itself.
 */
export function spanOf(channels: readonly Metric[]): { readonly from: number; readonly count: number } | undefined {
  const addresses = channels.map(({ address }) => address).toSorted((a, b) => a - b);
  const [from] = addresses;
  const isSideBySide = addresses.every((address, i) => from !== undefined && address === from + i);
  if (from === undefined || addresses.length < 2 || !isSideBySide) return undefined;
  return from + addresses.length > MOST_TOGETHER ? undefined : { from, count: addresses.length };
}

export interface BoardOrder {
  readonly equipment: Equipment;
  readonly from: number;
  /** From the coil `from` on. */
  readonly states: readonly boolean[];
  readonly source: RelaySource;
}

/** What switching all channels of a board with one frame does. */
export function boardEffect(
  { equipment, from, states, source }: BoardOrder,
  { field }: { readonly field: Field },
): AskedEffect {
  const live = states.some((on) => on);
  const priority = live ? "command" : "safety";
  const unit = equipment.slave_id ?? 1;
  const channels = states.map((_, i) => from + i);
  const effectArguments: JsonObject = { equipment_id: equipment.id, channels, states: [...states], source };
  return {
    arguments: effectArguments,
    target: relayTarget(equipment.id),
    things: channels.map(channelThing),
    toward: live ? "live" : "safe",
    summary: `Switch all ${states.length} channels of equipment ${equipment.id} ${live ? "as told" : "off"}.`,
    observer: BOARD_OBSERVER,
    observeWith: { equipment_id: equipment.id, from, states: [...states] },
    drive: {
      send: (wire, signal) =>
        driveCoils({
          equipment,
          request: { kind: "write-coils", unit, address: from, states },
          live,
          field,
          firstByte: () => wire.firstByte(),
          signal,
          async isDone() {
            const seen = await field.readChannels(equipment, { from, count: states.length }, { priority, signal });
            return seen.value.every((on, i) => on === states[i]);
          },
          assume: () => states.forEach((on, i) => field.assume(equipment, from + i, on)),
        }),
    },
    sendDeadline: SEND_DEADLINE,
    observeDeadline: equipment.write_only ? millis(0) : LOOK_DEADLINE,
  };
}

export function isBoardEffect({ observer }: Pick<Effect, "observer">): boolean {
  return observer === BOARD_OBSERVER;
}

export function registerBoardObserver({
  door,
  book,
  field,
}: {
  readonly door: Pick<Door, "registerObserver">;
  readonly book: EquipmentBook;
  readonly field: Field;
}): void {
  door.registerObserver(BOARD_OBSERVER, ({ equipment_id, from, states }) => ({
    async read(signal) {
      const equipment = typeof equipment_id === "number" ? book.find(equipment_id) : undefined;
      if (!equipment || typeof from !== "number" || !Array.isArray(states)) {
        throw farmError("EQUIPMENT_UNKNOWN", "The equipment of this action is not there any more.");
      }
      const priority = states.includes(true) ? "command" : "safety";
      return field.readChannels(equipment, { from, count: states.length }, { priority, signal });
    },
    satisfies: (seen) => JSON.stringify(seen) === JSON.stringify(states),
  }));
}
