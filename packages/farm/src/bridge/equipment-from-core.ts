import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import { RegisterMapping, toMetric, type Metric } from "../modbus/register-mapping.ts";
import { others, toFlag, toInstant, toList, toNumber, toObject, toText, toTime, toWhole } from "./core-values.ts";

/** A zone as an equipment row names it. */
export interface ZoneName {
  readonly id: number | null;
  readonly name: string;
}

/** A device of the core in the shape our own tools give. */
export interface CoreEquipment {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly status: string;
  readonly zones: readonly ZoneName[];
  /** False: the core's rows say nothing about zones. */
  readonly namesZones: boolean;
  readonly metrics: readonly Metric[];
  readonly row: JsonObject;
}

export function equipmentFromCore(
  sent: Json,
  { now, zonesOf }: { readonly now: number; readonly zonesOf: (id: number) => readonly ZoneName[] | undefined },
): CoreEquipment | undefined {
  const id = isJsonObject(sent) ? toWhole(sent["id"] ?? sent["equipment_id"]) : undefined;
  if (!isJsonObject(sent) || id === undefined) return undefined;
  const name = toText(sent["name"]) ?? `Equipment ${id}`;
  const type = toText(sent["type"]) ?? "";
  const status = toText(sent["status"]) ?? "offline";
  const mappings = toList(sent["register_mappings"]);
  const metrics = mappings.flatMap((mapping) => {
    const read = RegisterMapping.safeParse(mapping);
    return read.success ? [toMetric(read.data)] : [];
  });
  const own = ownZones(sent);
  const zones = own ?? zonesOf(id) ?? [];
  const lastReading = lastReadingOf(sent);
  const lastHeard = toInstant(sent["last_communication"]);
  const known: JsonObject = {
    id,
    name,
    description: toText(sent["description"]),
    type,
    protocol: toText(sent["protocol"]) ?? "modbus",
    address: toText(sent["address"]),
    slave_id: toWhole(sent["slave_id"]) ?? null,
    polling_interval_ms: toWhole(sent["polling_interval_ms"]) ?? 1_000,
    register_mappings: mappings,
    write_only: toFlag(sent["write_only"]) ?? false,
    status,
    enabled: toFlag(sent["enabled"]) ?? true,
    last_reading: lastReading ?? null,
    last_communication: toTime(sent["last_communication"]),
    error_log: toText(sent["error_log"]),
    calibration_offset: toNumber(sent["calibration_offset"]) ?? 0,
    calibration_scale: toNumber(sent["calibration_scale"]) ?? 1,
    last_watchdog_alert: toTime(sent["last_watchdog_alert"]),
    created_at: toTime(sent["created_at"]),
    updated_at: toTime(sent["updated_at"]),
    transport: toText(sent["transport"]) ?? "tcp",
    safety: toObject(sent["safety"]) ?? null,
    zone: toText(sent["zone"]) || (zones[0]?.name ?? ""),
    zones: zones.map((zone) => ({ id: zone.id, name: zone.name })),
    channels: channelRows(sent, metrics, lastReading),
    reading_age_seconds: toNumber(sent["reading_age_seconds"]) ?? readingAge(lastReading, lastHeard, now),
  };
  return {
    id,
    name,
    type,
    status,
    zones,
    namesZones: own !== undefined,
    metrics,
    row: { ...known, ...others(sent, { ...known, lastReading: null }) },
  };
}

/** Only what a model needs to choose. */
export function coreEquipmentSummary({ id, name, type, status, row }: CoreEquipment): JsonObject {
  const values = isJsonObject(row["last_reading"]) ? toObject(row["last_reading"]["values"]) : undefined;
  return {
    id,
    name,
    type,
    zone: row["zone"] ?? "",
    status,
    values: Object.fromEntries(
      Object.entries(values ?? {}).map(([metric, each]) => [
        metric,
        isJsonObject(each) ? (each["value"] ?? null) : each,
      ]),
    ),
    channels: Object.fromEntries(
      toList(row["channels"]).flatMap((each) =>
        isJsonObject(each) ? [[toText(each["channel"]) ?? "", each["state"] ?? null]] : [],
      ),
    ),
  };
}

function ownZones(sent: JsonObject): readonly ZoneName[] | undefined {
  const { zones, zone } = sent;
  if (Array.isArray(zones)) {
    return zones.flatMap((each: Json): ZoneName[] => {
      if (typeof each === "string") return [{ id: null, name: each }];
      const name = isJsonObject(each) ? toText(each["name"]) : null;
      return name !== null && isJsonObject(each) ? [{ id: toWhole(each["id"]) ?? null, name }] : [];
    });
  }
  if (typeof zone !== "string") return undefined;
  return zone === "" ? [] : [{ id: null, name: zone }];
}

function lastReadingOf(sent: JsonObject): JsonObject | undefined {
  const reading = toObject(sent["last_reading"] ?? sent["lastReading"]);
  if (!reading) return undefined;
  const states = toObject(reading["relayStates"]);
  if (!states) return reading;
  const relayStates = Object.fromEntries(Object.entries(states).map(([channel, on]) => [channel, toFlag(on) ?? null]));
  return { ...reading, relayStates };
}

function channelRows(sent: JsonObject, metrics: readonly Metric[], reading: JsonObject | undefined): readonly Json[] {
  // Our own core knows more about its channels than can be worked out from here.
  if (Array.isArray(sent["channels"])) return sent["channels"] as readonly Json[];
  const states = toObject(reading?.["relayStates"]) ?? {};
  return metrics
    .filter(({ isChannel }) => isChannel)
    .map(({ address, name, label }) => ({
      channel: address,
      name,
      label: label ?? null,
      state: states[String(address)] ?? null,
      confirmed_at: null,
    }));
}

/** The reference keeps no time with its last values; they came with the last exchange. */
function readingAge(reading: JsonObject | undefined, heardAt: number | null, now: number): number | null {
  if (!reading || heardAt === null || toObject(reading["values"]) === undefined) return null;
  return Math.max(0, Math.round((now - heardAt) / 1_000));
}
