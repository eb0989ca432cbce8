import type { CoreEquipment } from "./core-rows.ts";
import { bareRefusal, ok, type CoreAnswer, type CoreCall } from "./core-route.ts";
import { isoTime } from "./core-times.ts";

interface Mapping {
  readonly name: string;
  readonly label?: string;
  readonly register: string;
  readonly type: string;
}

/** What the boards are told, right or wrong: the reference checks almost nothing. */
export function controlRelay({ site, knobs, ids, body, now }: CoreCall): CoreAnswer {
  const row = site.equipment.find(({ id }) => id === ids[0]);
  if (!row) return bareRefusal(404, "Equipment not found");
  const { channel, state } = body;
  if (channel === undefined || state === undefined) return bareRefusal(400, "channel and state are required");
  if (knobs.deviceError !== undefined) return bareRefusal(500, knobs.deviceError);
  // "abc" is coil 0, 999 is coil 999, and the text "false" is true: so it goes out.
  const coil = Number.parseInt(typeof channel === "string" ? channel : JSON.stringify(channel), 10) || 0;
  const isOn = Boolean(state);
  write(row, coil, knobs.unconfirmed ? !isOn : isOn, now);
  const writeOnly = row.write_only === 1;
  return ok({ success: true, channel, state: isOn, writeOnly, confirmed: !writeOnly && !knobs.unconfirmed });
}

export function controlAll({ site, knobs, ids, body: { state }, now }: CoreCall): CoreAnswer {
  const row = site.equipment.find(({ id }) => id === ids[0]);
  if (!row) return bareRefusal(404, "Equipment not found");
  // The list of states that its own client sends is unknown to it.
  if (state === undefined) return bareRefusal(400, "state is required");
  if (knobs.deviceError !== undefined) return bareRefusal(500, knobs.deviceError);
  const coils = coilsOf(row);
  for (const { register } of coils) write(row, Number(register), Boolean(state), now);
  const writeOnly = row.write_only === 1;
  return ok({ success: true, channels: coils.length, state: Boolean(state), writeOnly, confirmed: !writeOnly });
}

export function relayState({ site, ids }: CoreCall): CoreAnswer {
  const row = site.equipment.find(({ id }) => id === ids[0]);
  if (!row) return bareRefusal(404, "Equipment not found");
  const states = relayStates(row);
  const channels = coilsOf(row).map(({ name, label, register }) => ({
    name,
    label: label ?? null,
    address: Number(register),
    state: states[register] ?? false,
  }));
  const lastUpdated = row.last_communication;
  return ok({ equipmentId: row.id, name: row.name, writeOnly: row.write_only === 1, channels, lastUpdated });
}

/** Also what a run of an automation does. */
export function write(row: CoreEquipment, coil: number, isOn: boolean, now: number): void {
  row.last_reading = JSON.stringify({ relayStates: { ...relayStates(row), [coil]: isOn } });
  row.last_communication = isoTime(now);
  row.status = "online";
}

function relayStates(row: CoreEquipment): Readonly<Record<string, boolean>> {
  // The column is this fake's own text.
  const reading = JSON.parse(row.last_reading ?? "{}") as { relayStates?: Record<string, boolean> };
  return reading.relayStates ?? {};
}

function coilsOf(row: CoreEquipment): readonly Mapping[] {
  const mappings = JSON.parse(row.register_mappings) as readonly Mapping[]; // likewise
  return mappings.filter(({ type }) => type === "coil");
}
