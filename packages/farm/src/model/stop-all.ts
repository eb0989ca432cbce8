import { SteadingError, type JsonObject } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import { channelsOf } from "./channel.ts";
import type { FarmCore } from "./farm-core.ts";
import type { Perform } from "./relay-control.ts";
import type { Equipment } from "./rows.ts";

export interface StopScope {
  readonly scope: "all" | "zone" | "equipment";
  readonly zone_id?: number | undefined;
  readonly equipment_id?: number | undefined;
}

type Core = Pick<FarmCore, "book" | "zones" | "relays" | "automations">;

function equipmentIn({ scope, zone_id, equipment_id }: StopScope, { book, zones }: Core): readonly Equipment[] {
  if (scope === "all") return book.list();
  if (scope === "equipment") {
    if (equipment_id === undefined) throw farmError("BAD_INPUT", "scope equipment needs an equipment_id.");
    return [book.get(equipment_id)];
  }
  if (zone_id === undefined) throw farmError("BAD_INPUT", "scope zone needs a zone_id.");
  const within = zones.within(String(zones.get(zone_id).id));
  return book.list().filter((each) => each.zone_ids.some((id) => within.has(id)));
}

/**
 * Ends the runs that have to do with the scope, switches every channel within it off, all boards at the same time, and
 * tells of each whether it is. The runs first: they would switch on again behind the OFFs.
 */
export async function stopAll(scope: StopScope, core: Core, perform: Perform): Promise<readonly JsonObject[]> {
  const meant = equipmentIn(scope, core);
  const ids = new Set(meant.map(({ id }) => id));
  core.automations.stopRuns((id) => scope.scope === "all" || ids.has(id), "stop-all");
  const boards = meant.filter((each) => channelsOf(core.book, each).length > 0 && each.protocol === "modbus");
  return Promise.all(
    boards.map(async (equipment) => {
      const channels = channelsOf(core.book, equipment);
      try {
        const { confirmed = false } = await core.relays.switchAll(equipment.id, false, "manual", perform);
        const told = channels.map(({ address }) => ({ channel: address, off: confirmed }));
        return { equipment_id: equipment.id, name: equipment.name, confirmed, channels: told };
      } catch (error) {
        const message = error instanceof SteadingError ? error.message : "It failed inside.";
        const state = core.book.state(equipment.id);
        const told = channels.map(({ address }) => ({
          channel: address,
          off: state.channels.get(address)?.on === false,
        }));
        return { equipment_id: equipment.id, name: equipment.name, confirmed: false, error: message, channels: told };
      }
    }),
  );
}
