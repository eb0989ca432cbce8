import type { Json, JsonObject } from "@steading/kernel";
import { channelsOf } from "../model/channel.ts";
import type { EquipmentState } from "../model/equipment-state.ts";
import type { FarmCore } from "../model/farm-core.ts";
import { iso } from "../model/instant.ts";
import type { Equipment } from "../model/rows.ts";

type Core = Pick<FarmCore, "book" | "tables" | "now">;

/** One piece of equipment with every column of the reference under its name, and what we add. */
export function equipmentRow(equipment: Equipment, core: Core): JsonObject {
  const age = readingAge(core.book.state(equipment.id), core.now());
  return { ...agelessRow(equipment, core), reading_age_seconds: age };
}

/** All of it but the age of the readings. Made of the equipment, its state and its zones alone: rows are kept until one of these changes. */
export function agelessRow(equipment: Equipment, core: Core): JsonObject {
  const { book, tables } = core;
  const state = book.state(equipment.id);
  const zones = equipment.zone_ids.flatMap((id) => {
    const zone = tables.get("zones", id);
    return zone ? [{ id, name: zone.name }] : [];
  });
  return {
    id: equipment.id,
    name: equipment.name,
    description: equipment.description,
    type: equipment.type,
    protocol: equipment.protocol,
    address: equipment.address,
    slave_id: equipment.slave_id,
    polling_interval_ms: equipment.polling_interval_ms,
    // Parsed from JSON when they came in; a schema that keeps unknown keys says unknown of them.
    register_mappings: equipment.register_mappings as unknown as Json,
    write_only: equipment.write_only,
    status: state.status,
    enabled: equipment.enabled,
    last_reading: lastReading(equipment, core),
    last_communication: state.lastCommunication === null ? null : iso(state.lastCommunication),
    error_log: state.errorLog,
    calibration_offset: equipment.calibration_offset,
    calibration_scale: equipment.calibration_scale,
    last_watchdog_alert: null,
    created_at: iso(equipment.created_at),
    updated_at: iso(equipment.updated_at),
    transport: equipment.transport,
    safety: equipment.safety,
    zone: zones[0]?.name ?? "",
    zones,
    channels: channelRows(equipment, core),
  };
}

/** Since the newest reading, in whole seconds; null where there is none. The one column that changes by itself. */
export function readingAge({ metrics }: Pick<EquipmentState, "metrics">, now: number): number | null {
  let newest = -Infinity;
  for (const { at } of metrics.values()) newest = Math.max(newest, at);
  return Number.isFinite(newest) ? Math.max(0, Math.round((now - newest) / 1_000)) : null;
}

/** Only what a model needs to choose: under 250 bytes a device on average. */
export function equipmentSummary(equipment: Equipment, core: Core): JsonObject {
  const { book, tables } = core;
  const state = book.state(equipment.id);
  const [zone] = equipment.zone_ids.flatMap((id) => tables.get("zones", id)?.name ?? []);
  return {
    id: equipment.id,
    name: equipment.name,
    type: equipment.type,
    zone: zone ?? "",
    status: state.status,
    values: Object.fromEntries([...shownMetrics(equipment, core)].map(([name, { value }]) => [name, value])),
    channels: Object.fromEntries(
      channelsOf(book, equipment).map(({ address }) => [address, state.channels.get(address)?.on ?? null]),
    ),
  };
}

function lastReading(equipment: Equipment, core: Core): JsonObject | null {
  const { channels } = core.book.state(equipment.id);
  const values = Object.fromEntries(
    [...shownMetrics(equipment, core)].map(([name, { value, unit, quality }]) => [
      name,
      { value, unit, ...(quality === "good" ? {} : { quality }) },
    ]),
  );
  const relayStates = Object.fromEntries([...channels].map(([channel, { on }]) => [String(channel), on]));
  const hasValues = Object.keys(values).length > 0;
  const hasRelays = Object.keys(relayStates).length > 0;
  if (!hasValues && !hasRelays) return null;
  return { ...(hasValues ? { values } : {}), ...(hasRelays ? { relayStates } : {}) };
}

/** A mapping that is switched off is hidden wherever values are shown. */
function* shownMetrics(equipment: Equipment, { book }: Core) {
  const hidden = new Set(book.metrics(equipment).flatMap(({ name, enabled }) => (enabled ? [] : [name])));
  for (const entry of book.state(equipment.id).metrics) if (!hidden.has(entry[0])) yield entry;
}

function channelRows(equipment: Equipment, { book }: Core): JsonObject[] {
  const { channels } = book.state(equipment.id);
  return channelsOf(book, equipment).map(({ address, name, label }) => {
    const known = channels.get(address);
    return {
      channel: address,
      name,
      label: label ?? null,
      state: known?.on ?? null,
      confirmed_at: known?.confirmedAt === undefined || known.confirmedAt === null ? null : iso(known.confirmedAt),
    };
  });
}

export interface EquipmentFilter {
  readonly status?: string | undefined;
  readonly zone?: string | undefined;
  readonly search?: string | undefined;
}

/** By name, as people look for it. */
export function findEquipment(
  filter: EquipmentFilter,
  { book, zones }: Pick<FarmCore, "book" | "zones">,
): readonly Equipment[] {
  const { status, zone, search } = filter;
  const within = zone === undefined || zone === "" ? undefined : zones.within(zone);
  const wanted = search?.toLowerCase();
  return book
    .list()
    .filter(
      (each) =>
        (status === undefined || book.state(each.id).status === status) &&
        (within === undefined || each.zone_ids.some((id) => within.has(id))) &&
        (wanted === undefined || `${each.name}\n${each.description ?? ""}`.toLowerCase().includes(wanted)),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id));
}
