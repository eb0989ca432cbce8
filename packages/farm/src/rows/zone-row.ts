import type { JsonObject } from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import { iso } from "../model/instant.ts";
import type { Zone } from "../model/rows.ts";

export function zoneRow({ created_at, updated_at, ...zone }: Zone, { book }: Pick<FarmCore, "book">): JsonObject {
  const equipment_count = book.list().filter(({ zone_ids }) => zone_ids.includes(zone.id)).length;
  return { ...zone, created_at: iso(created_at), updated_at: iso(updated_at), equipment_count };
}
