import type { JsonObject } from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import type { EquipmentState } from "../model/equipment-state.ts";
import type { Equipment, Zone } from "../model/rows.ts";
import { agelessRow, equipmentSummary, readingAge } from "./equipment-row.ts";
import { wireShape } from "./wire-shape.ts";

type Core = Pick<FarmCore, "book" | "tables" | "now">;
type Form = "parsed" | "wire";

/** Rows of equipment and their JSON. Each is made when its equipment has changed, however often it is asked for. */
export interface EquipmentLines {
  /** Not to be changed by whoever gets it: others get the same one. */
  row(equipment: Equipment): JsonObject;
  /** The short form, likewise. */
  summary(equipment: Equipment): JsonObject;
  /** The JSON array of these rows. */
  json(equipment: readonly Equipment[], form: Form): string;
  /** The same as the inside of a JSON string. */
  escaped(equipment: readonly Equipment[], form: Form): string;
}

interface Kept {
  readonly equipment: Equipment;
  readonly changes: number;
  readonly zones: readonly (Zone | undefined)[];
  /** Everything but the age of the readings, which changes by itself. */
  readonly ageless: JsonObject;
  /** JSON up to the age. */
  readonly begun: Partial<Record<Form, string>>;
  readonly begunEscaped: Partial<Record<Form, string>>;
  summary: JsonObject | undefined;
  aged: { readonly age: number | null; readonly row: JsonObject } | undefined;
}

export function createEquipmentLines(core: Core): EquipmentLines {
  const { book, tables, now } = core;
  const kept = new WeakMap<EquipmentState, Kept>();

  function isCurrent(found: Kept, equipment: Equipment, { changes }: EquipmentState): boolean {
    if (found.equipment !== equipment || found.changes !== changes) return false;
    const ids = equipment.zone_ids;
    for (let i = 0; i < ids.length; i += 1) {
      if (tables.get("zones", ids[i] ?? 0) !== found.zones[i]) return false;
    }
    return true;
  }

  function keep(equipment: Equipment, state: EquipmentState): Kept {
    const ageless = agelessRow(equipment, core);
    const { changes } = state;
    const zones = equipment.zone_ids.map((id) => tables.get("zones", id));
    const made: Kept = {
      equipment,
      changes,
      zones,
      ageless,
      begun: {},
      begunEscaped: {},
      summary: undefined,
      aged: undefined,
    };
    kept.set(state, made);
    return made;
  }

  function current(equipment: Equipment): { readonly found: Kept; readonly age: number | null } {
    const state = book.state(equipment.id);
    const found = kept.get(state);
    const age = readingAge(state, now());
    return { found: found && isCurrent(found, equipment, state) ? found : keep(equipment, state), age };
  }

  function begunOf(found: Kept, form: Form): string {
    return (found.begun[form] ??= begin(form === "wire" ? wireShape(found.ageless) : found.ageless));
  }

  function line(equipment: Equipment, form: Form): string {
    const { found, age } = current(equipment);
    return `${begunOf(found, form)}${String(age)}}`;
  }

  function escapedLine(equipment: Equipment, form: Form): string {
    const { found, age } = current(equipment);
    const begun = (found.begunEscaped[form] ??= JSON.stringify(begunOf(found, form)).slice(1, -1));
    return `${begun}${String(age)}}`;
  }

  return {
    row(equipment) {
      const { found, age } = current(equipment);
      if (found.aged?.age !== age) found.aged = { age, row: { ...found.ageless, reading_age_seconds: age } };
      return found.aged.row;
    },
    summary(equipment) {
      const { found } = current(equipment);
      return (found.summary ??= equipmentSummary(equipment, core));
    },
    escaped: (equipment, form) => `[${equipment.map((each) => escapedLine(each, form)).join(",")}]`,
    json: (equipment, form) => `[${equipment.map((each) => line(each, form)).join(",")}]`,
  };
}

function begin(ageless: JsonObject): string {
  return `${JSON.stringify(ageless).slice(0, -1)},"reading_age_seconds":`;
}
