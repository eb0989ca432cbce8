import { farmError } from "../farm-errors.ts";
import type { FarmEvents } from "./farm-events.ts";
import type { Equipment, Zone } from "./rows.ts";
import type { Deed, RowChange, Tables } from "./tables.ts";

export interface ZoneInput {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly parent_id?: number | null | undefined;
}

/** The places of the farm, one inside another, and what stands in them. */
export interface Zones {
  list(): readonly Zone[];
  get(id: number): Zone;
  create(input: ZoneInput & { readonly name: string }, by: string): Promise<Zone>;
  update(id: number, input: ZoneInput, by: string): Promise<Zone>;
  remove(id: number, by: string): Promise<void>;
  link(id: number, equipmentId: number, by: string): Promise<void>;
  unlink(id: number, equipmentId: number, by: string): Promise<void>;
  /** The zone with that id or name (in any case) and all zones inside it; empty when there is none. */
  within(idOrName: string): ReadonlySet<number>;
}

export function createZones({
  tables,
  events,
  now,
}: {
  readonly tables: Tables;
  readonly events: FarmEvents;
  readonly now: () => number;
}): Zones {
  function get(id: number): Zone {
    const zone = tables.get("zones", id);
    if (!zone) throw farmError("ZONE_UNKNOWN", `There is no zone ${id}.`, { details: { zone_id: id } });
    return zone;
  }
  function equipment(id: number): Equipment {
    const found = tables.get("equipment", id);
    if (!found) throw farmError("EQUIPMENT_UNKNOWN", `There is no equipment ${id}.`, { details: { equipment_id: id } });
    return found;
  }

  /** Whoever is above a zone may not be put below it, however far away. */
  function checkParent(id: number | undefined, parent: number | null): void {
    for (let above = parent; above !== null; above = get(above).parent_id) {
      if (above === id) {
        throw farmError("BAD_INPUT", `Zone ${id} cannot be inside zone ${parent}, which is inside it.`, {
          details: { zone_id: id, parent_id: parent },
        });
      }
    }
  }

  async function save(zone: Zone, deed: Deed): Promise<Zone> {
    await tables.commit([{ table: "zones", put: zone }], deed);
    events.emit({ kind: "zone", id: zone.id });
    return zone;
  }

  async function relink(row: Equipment, zoneIds: readonly number[], deed: Deed): Promise<void> {
    await tables.commit([{ table: "equipment", put: { ...row, zone_ids: zoneIds, updated_at: now() } }], deed);
    events.emit({ kind: "equipment", change: "updated", id: row.id });
  }

  return {
    list: () => tables.all("zones").toSorted((a, b) => a.name.localeCompare(b.name)),
    get,
    async create({ name, description = null, parent_id = null }, by) {
      checkParent(undefined, parent_id);
      const at = now();
      const zone: Zone = { id: tables.nextId("zones"), name, description, parent_id, created_at: at, updated_at: at };
      return save(zone, { kind: "farm.zone.created", by, data: { zone_id: zone.id, name } });
    },
    async update(id, { name, description, parent_id }, by) {
      const zone = get(id);
      if (parent_id !== undefined) checkParent(id, parent_id);
      const changed: Zone = {
        ...zone,
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(parent_id === undefined ? {} : { parent_id }),
        updated_at: now(),
      };
      return save(changed, { kind: "farm.zone.updated", by, data: { zone_id: id } });
    },
    async remove(id, by) {
      get(id);
      const children = tables.all("zones").filter((zone) => zone.parent_id === id);
      const members = tables.all("equipment").filter((each) => each.zone_ids.includes(id));
      const alerts = tables.all("alerts").filter((alert) => alert.zone_id === id);
      const changes: RowChange[] = [
        { table: "zones", delete: id },
        ...children.map((zone): RowChange => ({ table: "zones", put: { ...zone, parent_id: null } })),
        ...members.map((each): RowChange => ({
          table: "equipment",
          put: { ...each, zone_ids: each.zone_ids.filter((zone) => zone !== id) },
        })),
        ...alerts.map((alert): RowChange => ({ table: "alerts", put: { ...alert, zone_id: null } })),
      ];
      await tables.commit(changes, { kind: "farm.zone.deleted", by, data: { zone_id: id } });
      events.emit({ kind: "zone", id });
      for (const each of members) events.emit({ kind: "equipment", change: "updated", id: each.id });
    },
    async link(id, equipmentId, by) {
      get(id);
      const row = equipment(equipmentId);
      if (row.zone_ids.includes(id)) {
        throw farmError("ALREADY_LINKED", `Equipment ${equipmentId} is in zone ${id} already.`);
      }
      const data = { zone_id: id, equipment_id: equipmentId };
      await relink(row, [...row.zone_ids, id], { kind: "farm.zone.linked", by, data });
    },
    async unlink(id, equipmentId, by) {
      get(id);
      const row = tables.get("equipment", equipmentId);
      if (!row?.zone_ids.includes(id)) {
        throw farmError("LINK_UNKNOWN", `Equipment ${equipmentId} is not in zone ${id}.`);
      }
      const data = { zone_id: id, equipment_id: equipmentId };
      const left = row.zone_ids.filter((zone) => zone !== id);
      await relink(row, left, { kind: "farm.zone.unlinked", by, data });
    },
    within(idOrName) {
      const wanted = idOrName.trim().toLowerCase();
      const zones = tables.all("zones");
      const found = new Set(
        zones.filter((zone) => String(zone.id) === wanted || zone.name.toLowerCase() === wanted).map(({ id }) => id),
      );
      for (let before = -1; before !== found.size;) {
        before = found.size;
        for (const { id, parent_id } of zones) if (parent_id !== null && found.has(parent_id)) found.add(id);
      }
      return found;
    },
  };
}
