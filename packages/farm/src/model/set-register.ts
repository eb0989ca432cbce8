import { receiptJson, type JsonObject } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Metric } from "../modbus/register-mapping.ts";
import { busWriteEffect, checkWritten } from "./bus-write-effect.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { Field } from "./field.ts";
import { isBoardSetting } from "./polled-metrics.ts";
import type { Perform } from "./relay-control.ts";
import { wordsFor } from "./register-words.ts";
import { relayTarget } from "./relay-effect.ts";
import type { Equipment } from "./rows.ts";

export interface SetRequest {
  readonly equipmentId: number;
  /** A number for the only register that can be set, or `{ target, value }`. */
  readonly value: unknown;
  readonly target?: unknown;
}

/** Writes a setpoint: a value in the unit that the reading has, to a holding register that its mapping lets be written. */
export async function setRegister(
  { equipmentId, value: given, target: named }: SetRequest,
  { book, field, perform }: { readonly book: EquipmentBook; readonly field: Field; readonly perform: Perform },
): Promise<JsonObject> {
  const equipment = book.get(equipmentId);
  const { target, value } = readValue(given, named);
  const metric = findSettable(book, equipment, target);
  if (!equipment.enabled) {
    throw farmError("EQUIPMENT_DISABLED", `Equipment ${equipmentId} is disabled.`, {
      details: { equipment_id: equipmentId },
    });
  }
  const words = wordsFor(metric, rawOf(value, metric, equipment));
  if (!words) {
    throw farmError("BAD_INPUT", `${metric.name} has no room for ${value}; it is a ${metric.dataType}.`, {
      details: { field: "value" },
    });
  }
  const [first = 0] = words;
  const shared = { unit: equipment.slave_id ?? 1, address: metric.address };
  const effect = busWriteEffect(
    {
      place: equipment,
      write:
        words.length === 1
          ? { kind: "write-register", ...shared, value: first }
          : { kind: "write-registers", ...shared, values: words },
      target: relayTarget(equipmentId),
      arguments: { equipment_id: equipmentId, target: metric.name, value },
      summary: `Set register ${metric.address} of equipment ${equipmentId} to ${value}.`,
    },
    { field },
  );
  const outcome = await perform(effect);
  checkWritten(outcome, `Register ${metric.address} of equipment ${equipmentId}`);
  const confirmed = outcome.receipt.stage === "observed";
  return { success: true, target: metric.name, value, confirmed, receipt: receiptJson(outcome.receipt) };
}

function readValue(given: unknown, named: unknown): { readonly target: unknown; readonly value: number } {
  const inside =
    typeof given === "object" && given !== null ? (given as { target?: unknown; value?: unknown }) : undefined;
  const value = inside ? inside.value : given;
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw farmError("BAD_INPUT", "set needs a number as value, or { target, value }.", { details: { field: "value" } });
  }
  return { target: inside?.target ?? named, value };
}

function findSettable(book: EquipmentBook, equipment: Equipment, target: unknown): Metric {
  const settable = book
    .metrics(equipment)
    .filter((metric) => metric.fc === 3 && metric.access !== "read" && !isBoardSetting(equipment, metric));
  const found = settable.filter(
    ({ name, label, address }) => target === undefined || target === name || target === label || target === address,
  );
  const [metric] = found;
  if (metric && found.length === 1) return metric;
  const names = settable.map(({ name }) => name);
  const has = names.length === 0 ? "It has none that can be written." : `It has ${names.join(", ")}.`;
  throw farmError("NOT_SWITCHABLE", `Name the register of equipment ${equipment.id} that is meant. ${has}`, {
    details: { equipment_id: equipment.id, targets: names },
  });
}

/** The reading's formula, backwards. */
function rawOf(value: number, { scale, offset }: Metric, { calibration_offset, calibration_scale }: Equipment): number {
  return ((value - calibration_offset) / (calibration_scale || 1) - offset) / (scale || 1);
}
