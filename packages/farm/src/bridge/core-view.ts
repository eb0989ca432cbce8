import { isJsonObject, seconds, type Clock } from "@steading/kernel";
import type { FarmEvents } from "../model/farm-events.ts";
import type { CoreAlert } from "./alert-from-core.ts";
import type { CoreAutomation } from "./automation-from-core.ts";
import { toList } from "./core-values.ts";
import type { CoreEquipment, ZoneName } from "./equipment-from-core.ts";
import { alertChanges, automationChanges, equipmentChanges } from "./view-changes.ts";
import type { CoreZone } from "./zone-map.ts";

/** What the core looked like last. Tools never answer from it; descriptions, updates and sentences do. */
export interface CoreView {
  readonly equipment: readonly CoreEquipment[];
  readonly automations: readonly CoreAutomation[];
  readonly zones: readonly CoreZone[] | undefined;
  /** Undefined before the first look. */
  readonly equipmentCount: number | undefined;
  findEquipment(id: number): CoreEquipment | undefined;
  findAutomation(id: number): CoreAutomation | undefined;
  /** Where equipment stands, from the zones' side; undefined when that was not looked at. */
  zonesOf(id: number): readonly ZoneName[] | undefined;
  /** Was the equipment looked at so lately that a channel it does not have is not there? */
  isFresh(): boolean;
  seeEquipment(seen: readonly CoreEquipment[]): void;
  seeAutomations(seen: readonly CoreAutomation[]): void;
  seeAlerts(seen: readonly CoreAlert[]): void;
  seeZones(seen: readonly CoreZone[], members: ReadonlyMap<number, readonly ZoneName[]> | undefined): void;
  /** What the core has just answered to a command, so that nobody waits for the next look. */
  switched(id: number, channel: number, on: boolean): void;
  toggled(id: number, enabled: boolean): void;
}

const FRESH = seconds(90);

export function createCoreView({
  clock,
  events,
  onNames,
}: {
  readonly clock: Clock;
  /** Gets what changed between two looks. The first look changes nothing. */
  readonly events: Pick<FarmEvents, "emit">;
  /** Called when a name that descriptions show may have changed. */
  readonly onNames: () => void;
}): CoreView {
  let equipment: ReadonlyMap<number, CoreEquipment> | undefined;
  let automations: ReadonlyMap<number, CoreAutomation> | undefined;
  let alerts: ReadonlyMap<number, CoreAlert> | undefined;
  let zones: readonly CoreZone[] | undefined;
  let members: ReadonlyMap<number, readonly ZoneName[]> | undefined;
  let seenAt = -Infinity;

  return {
    get equipment() {
      return [...(equipment?.values() ?? [])];
    },
    get automations() {
      return [...(automations?.values() ?? [])];
    },
    get zones() {
      return zones;
    },
    get equipmentCount() {
      return equipment?.size;
    },
    findEquipment: (id) => equipment?.get(id),
    findAutomation: (id) => automations?.get(id),
    zonesOf: (id) => (members === undefined ? undefined : (members.get(id) ?? [])),
    isFresh: () => clock.monotonic() - seenAt < FRESH,
    seeEquipment(seen) {
      const before = equipment;
      equipment = byId(seen);
      seenAt = clock.monotonic();
      if (before) for (const event of equipmentChanges(before, equipment)) events.emit(event);
      onNames();
    },
    seeAutomations(seen) {
      const before = automations;
      automations = byId(seen);
      if (before) for (const event of automationChanges(before, automations)) events.emit(event);
      onNames();
    },
    seeAlerts(seen) {
      const before = alerts;
      alerts = byId(seen);
      if (before) for (const event of alertChanges(before, alerts)) events.emit(event);
    },
    seeZones(seen, where) {
      const known = members !== undefined;
      zones = seen;
      members = where;
      for (const each of equipment?.values() ?? []) {
        const moved = where && !each.namesZones ? withZones(each, where.get(each.id) ?? []) : each;
        if (JSON.stringify(moved.zones) === JSON.stringify(each.zones)) continue;
        equipment = new Map(equipment).set(each.id, moved);
        // The first time they were there before; they just were not known.
        if (known) events.emit({ kind: "equipment", change: "updated", id: each.id });
      }
      onNames();
    },
    switched(id, channel, on) {
      const known = equipment?.get(id);
      if (known) equipment = new Map(equipment).set(id, { ...known, row: withChannel(known, channel, on) });
      events.emit({ kind: "relay", id, data: { equipmentId: id, channel, state: on } });
    },
    toggled(id, enabled) {
      const known = automations?.get(id);
      if (known) automations = new Map(automations).set(id, { ...known, enabled, row: { ...known.row, enabled } });
      events.emit({ kind: "automation", change: enabled ? "enabled" : "disabled", id });
      onNames();
    },
  };
}

function byId<T extends { readonly id: number }>(rows: readonly T[]): ReadonlyMap<number, T> {
  return new Map(rows.map((row) => [row.id, row]));
}

function withZones(equipment: CoreEquipment, zones: readonly ZoneName[]): CoreEquipment {
  const named = zones.map(({ id, name }) => ({ id, name }));
  return { ...equipment, zones, row: { ...equipment.row, zone: zones[0]?.name ?? "", zones: named } };
}

function withChannel({ row }: CoreEquipment, channel: number, on: boolean): CoreEquipment["row"] {
  const channels = toList(row["channels"]).map((each) =>
    isJsonObject(each) && each["channel"] === channel ? { ...each, state: on } : each,
  );
  return { ...row, channels };
}
