import { isJsonObject, type Json } from "@steading/kernel";
import { toText, toWhole } from "./core-values.ts";
import type { CoreEquipment, ZoneName } from "./equipment-from-core.ts";

export interface CoreZone {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
}

export function zoneFromCore(sent: Json): CoreZone | undefined {
  const id = isJsonObject(sent) ? toWhole(sent["id"]) : undefined;
  if (!isJsonObject(sent) || id === undefined) return undefined;
  return { id, name: toText(sent["name"]) ?? `Zone ${id}`, parentId: toWhole(sent["parent_id"]) ?? null };
}

/** Zones by id and by name, in any case, that lie in the one asked for; empty when there is no such zone. */
export function zonesWithin(zones: readonly CoreZone[], idOrName: string): ReadonlySet<string> {
  const wanted = idOrName.trim().toLowerCase();
  const found = new Map(
    zones
      .filter(({ id, name }) => String(id) === wanted || name.toLowerCase() === wanted)
      .map((zone) => [zone.id, zone] as const),
  );
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const zone of zones) if (zone.parentId !== null && found.has(zone.parentId)) found.set(zone.id, zone);
  }
  return new Set([...found.values()].flatMap(({ id, name }) => [String(id), name.toLowerCase()]));
}

export function standsIn({ zones }: CoreEquipment, places: ReadonlySet<string>): boolean {
  return zones.some(
    ({ id, name }: ZoneName) => (id !== null && places.has(String(id))) || places.has(name.toLowerCase()),
  );
}
