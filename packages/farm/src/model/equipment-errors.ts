import type { Json } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { FarmEvents } from "./farm-events.ts";
import type { Field } from "./field.ts";
import type { EquipmentError } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** Faults of equipment that somebody reported. While one is not resolved, the equipment's status is `error`. */
export interface EquipmentErrors {
  /** Newest first. */
  list(
    equipmentId: number,
    filter: { readonly from?: number | undefined; readonly resolved?: boolean | undefined; readonly limit: number },
  ): readonly EquipmentError[];
  report(
    equipmentId: number,
    error: Pick<EquipmentError, "error_type" | "message"> & { readonly details?: Json | undefined },
    by: string,
  ): Promise<EquipmentError>;
  /** What the status is afterwards is worked out anew: the fault may be one of several, or not the only trouble. */
  resolve(equipmentId: number, id: number, by: string): Promise<EquipmentError>;
  /** Worked out again from the rows, after some were cleared. */
  recount(): void;
}

export function createEquipmentErrors({
  tables,
  book,
  field,
  events,
  now,
}: {
  readonly tables: Tables;
  readonly book: EquipmentBook;
  readonly field: Pick<Field, "review">;
  readonly events: FarmEvents;
  readonly now: () => number;
}): EquipmentErrors {
  function recount(): void {
    const open = new Map<number, number>();
    for (const { equipment_id, resolved } of tables.all("equipment_errors")) {
      if (!resolved) open.set(equipment_id, (open.get(equipment_id) ?? 0) + 1);
    }
    for (const equipment of book.list()) {
      book.state(equipment.id).reported = open.get(equipment.id) ?? 0;
      field.review(equipment);
    }
  }
  recount();

  return {
    recount,
    list: (equipmentId, { from = 0, resolved, limit }) =>
      tables
        .all("equipment_errors")
        .filter(
          (error) =>
            error.equipment_id === equipmentId &&
            error.created_at >= from &&
            (resolved === undefined || error.resolved === resolved),
        )
        .toReversed()
        .slice(0, limit),
    async report(equipmentId, { error_type, message, details = null }, by) {
      const equipment = book.get(equipmentId);
      const error: EquipmentError = {
        id: tables.nextId("equipment_errors"),
        equipment_id: equipmentId,
        error_type,
        message,
        details,
        resolved: false,
        resolved_at: null,
        created_at: now(),
      };
      const data = { equipment_id: equipmentId, error_id: error.id, error_type };
      await tables.commit([{ table: "equipment_errors", put: error }], {
        kind: "farm.equipment.error",
        by,
        data,
      });
      book.state(equipmentId).reported += 1;
      field.review(equipment);
      events.emit({ kind: "equipment", change: "error", id: equipmentId });
      return error;
    },
    async resolve(equipmentId, id, by) {
      const equipment = book.get(equipmentId);
      const error = tables.get("equipment_errors", id);
      if (error?.equipment_id !== equipmentId) {
        throw farmError("ERROR_UNKNOWN", `Equipment ${equipmentId} has no error ${id}.`, {
          details: { equipment_id: equipmentId, error_id: id },
        });
      }
      if (error.resolved) return error;
      const done: EquipmentError = { ...error, resolved: true, resolved_at: now() };
      const data = { equipment_id: equipmentId, error_id: id };
      await tables.commit([{ table: "equipment_errors", put: done }], {
        kind: "farm.equipment.error-resolved",
        by,
        data,
      });
      const state = book.state(equipmentId);
      state.reported = Math.max(0, state.reported - 1);
      field.review(equipment);
      return done;
    },
  };
}
