import type { SteadingError } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import { gatewayKey } from "../modbus/gateway-address.ts";
import { toMetric, type Metric, type RegisterMapping } from "../modbus/register-mapping.ts";
import { addressProblem, type EquipmentChange, type NewEquipment } from "./equipment-input.ts";
import { channelsOn, createEquipmentState, type EquipmentState } from "./equipment-state.ts";
import type { FarmEvents } from "./farm-events.ts";
import type { Equipment } from "./rows.ts";
import type { Deed, RowChange, Tables } from "./tables.ts";

/** What equipment there is, and how it is configured. How it is doing hangs beside it. */
export interface EquipmentBook {
  list(): readonly Equipment[];
  get(id: number): Equipment;
  find(id: number): Equipment | undefined;
  state(id: number): EquipmentState;
  /** Its mappings with everything decided, made once for each change. */
  metrics(equipment: Equipment): readonly Metric[];
  create(input: NewEquipment, by: string): Promise<Equipment>;
  /** Unless forced, nothing is changed that would put a channel that is on out of reach. */
  update(id: number, input: EquipmentChange, by: string, options?: { readonly force: boolean }): Promise<Equipment>;
  calibrate(
    id: number,
    calibration: { readonly offset: number; readonly scale: number },
    by: string,
  ): Promise<Equipment>;
  /** Label by register; an empty one takes the label away. */
  label(id: number, labels: Readonly<Record<string, string>>, by: string): Promise<Equipment>;
  /** Enabled by register. */
  toggle(id: number, toggles: Readonly<Record<string, boolean>>, by: string): Promise<Equipment>;
  remove(id: number, options: { readonly force: boolean; readonly by: string }): Promise<void>;
}

export function createEquipmentBook({
  tables,
  events,
  now,
}: {
  readonly tables: Tables;
  readonly events: FarmEvents;
  readonly now: () => number;
}): EquipmentBook {
  const states = new Map<number, EquipmentState>();
  const metricsOf = new WeakMap<Equipment, readonly Metric[]>();

  function get(id: number): Equipment {
    const found = tables.get("equipment", id);
    if (found) return found;
    throw farmError("EQUIPMENT_UNKNOWN", `There is no equipment ${id}. ${known(tables.all("equipment"))}`, {
      details: { equipment_id: id },
    });
  }

  function state(id: number): EquipmentState {
    const found = states.get(id);
    if (found) return found;
    const made = createEquipmentState(now());
    states.set(id, made);
    return made;
  }

  async function save(row: Equipment, change: "created" | "updated" | "calibrated", deed: Deed): Promise<Equipment> {
    const problem = addressProblem(row);
    if (problem !== undefined) throw farmError("BAD_INPUT", `${problem}.`);
    await tables.commit([{ table: "equipment", put: row }], deed);
    events.emit({ kind: "equipment", change, id: row.id });
    return row;
  }

  async function changeMappings(
    id: number,
    by: string,
    change: (mapping: RegisterMapping, register: string) => RegisterMapping,
    asked: readonly string[],
  ): Promise<Equipment> {
    const row = get(id);
    const registers = row.register_mappings.map((mapping) => String(toMetric(mapping).address));
    const missing = asked.filter((register) => !registers.includes(register));
    if (missing.length > 0) {
      throw farmError(
        "BAD_INPUT",
        `Equipment ${id} has no register ${missing.join(", ")}; it has ${registers.join(", ")}.`,
      );
    }
    const mappings = row.register_mappings.map((mapping, i) => change(mapping, registers[i] ?? ""));
    const changed = { ...row, register_mappings: mappings, updated_at: now() };
    return save(changed, "updated", { kind: "farm.equipment.channels", by, data: { equipment_id: id } });
  }

  return {
    list: () => tables.all("equipment"),
    get,
    find: (id) => tables.get("equipment", id),
    state,
    metrics(equipment) {
      const made = metricsOf.get(equipment);
      if (made) return made;
      const metrics = equipment.register_mappings.map(toMetric);
      metricsOf.set(equipment, metrics);
      return metrics;
    },
    async create(input, by) {
      const at = now();
      const row: Equipment = {
        description: null,
        type: "sensor",
        protocol: "modbus",
        address: null,
        transport: "tcp",
        slave_id: null,
        polling_interval_ms: 1_000,
        register_mappings: [],
        write_only: false,
        enabled: true,
        safety: null,
        ...given(input),
        name: input.name,
        id: tables.nextId("equipment"),
        calibration_offset: 0,
        calibration_scale: 1,
        zone_ids: [],
        created_at: at,
        updated_at: at,
      };
      const data = { equipment_id: row.id, name: row.name };
      return save(row, "created", { kind: "farm.equipment.created", by, data });
    },
    async update(id, input, by, { force } = { force: false }) {
      const row = get(id);
      const changed = { ...row, ...given(input), updated_at: now() };
      const on = channelsOn(state(id));
      const lost = on.filter((channel) => isOutOfReach(channel, row, changed));
      if (lost.length > 0 && !force) throw isOn(id, lost);
      const data = { equipment_id: id, fields: Object.keys(given(input)) };
      await save(changed, "updated", { kind: "farm.equipment.updated", by, data });
      const mapped = new Set(changed.register_mappings.map((mapping) => toMetric(mapping).address));
      // Nobody can ever see a channel off that is not mapped any more.
      for (const channel of state(id).channels.keys()) if (!mapped.has(channel)) state(id).channels.delete(channel);
      return changed;
    },
    async calibrate(id, { offset, scale }, by) {
      const changed = { ...get(id), calibration_offset: offset, calibration_scale: scale, updated_at: now() };
      const data = { equipment_id: id, offset, scale };
      return save(changed, "calibrated", { kind: "farm.equipment.calibrated", by, data });
    },
    label: (id, labels, by) =>
      changeMappings(
        id,
        by,
        (mapping, register) => {
          const label = labels[register];
          if (label === undefined) return mapping;
          const { label: _former, ...rest } = mapping;
          return label === "" ? rest : { ...rest, label };
        },
        Object.keys(labels),
      ),
    toggle: (id, toggles, by) =>
      changeMappings(
        id,
        by,
        (mapping, register) => {
          const enabled = toggles[register];
          return enabled === undefined ? mapping : { ...mapping, enabled };
        },
        Object.keys(toggles),
      ),
    async remove(id, { force, by }) {
      get(id);
      const on = channelsOn(state(id));
      if (on.length > 0 && !force) throw isOn(id, on);
      const alerts = tables.all("alerts").filter((alert) => alert.equipment_id === id);
      const errors = tables.all("equipment_errors").filter((error) => error.equipment_id === id);
      const changes: RowChange[] = [
        { table: "equipment", delete: id },
        ...errors.map((error): RowChange => ({ table: "equipment_errors", delete: error.id })),
        ...alerts.map((alert): RowChange => ({ table: "alerts", put: { ...alert, equipment_id: null } })),
      ];
      await tables.commit(changes, { kind: "farm.equipment.deleted", by, data: { equipment_id: id } });
      states.delete(id);
      events.emit({ kind: "equipment", change: "deleted", id });
    },
  };
}

function isOn(id: number, channels: readonly number[]): SteadingError {
  return farmError("CHANNEL_IS_ON", `Channel ${channels.join(", ")} of equipment ${id} is on.`, {
    details: { equipment_id: id, channels: [...channels] },
  });
}

/** After the change, would an OFF go somewhere else, or nobody look at what is on? */
function isOutOfReach(channel: number, before: Equipment, after: Equipment): boolean {
  const way = ({ address, slave_id, protocol, transport, write_only }: Equipment): string =>
    JSON.stringify([gatewayKey(address ?? "") ?? address, slave_id ?? 1, protocol, transport, write_only]);
  if (way(before) !== way(after) || (before.enabled && !after.enabled)) return true;
  return !after.register_mappings.map(toMetric).some(({ isChannel, address }) => isChannel && address === channel);
}

/** Only what was said: a key that is undefined would wipe what is there. */
function given<T extends object>(input: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Object.entries forgets which key has which type; nothing but undefined members is taken out.
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never;
}

function known(all: readonly Equipment[]): string {
  if (all.length === 0) return "There is none at all.";
  const ids = all.slice(0, 20).map(({ id }) => id);
  return `There is ${ids.join(", ")}${all.length > ids.length ? ` and ${all.length - ids.length} more` : ""}.`;
}
