import type { FarmPart } from "@steading/farm";
import type { Journal, Json, Ledger } from "@steading/kernel";
import type { FarmAddresses } from "@steading/sim";
import { sampleEquipment, type SampleEquipment } from "./sample-equipment.ts";

type FarmCore = FarmPart["core"];

/** What the demo made, by its own names for it, so that another start on the same data finds it again. */
type Made = Readonly<Record<string, number>>;

const SPACE = "demo";
const KEY = "farm";
const BY = "demo";

/**
 * Puts the virtual farm's devices, two zones and two automations into a farm. On data of an earlier demo only the addresses
 * change, which differ from start to start; what somebody renamed stays renamed, and what they removed stays away.
 */
export async function furnishSampleFarm({
  core,
  store: { ledger },
  journal,
  addresses,
}: {
  readonly core: FarmCore;
  readonly store: { readonly ledger: Pick<Ledger, "get"> };
  readonly journal: Pick<Journal, "commit">;
  readonly addresses: FarmAddresses;
}): Promise<void> {
  const equipment = sampleEquipment(addresses);
  const made = ledger.get(SPACE, KEY)?.value as Made | undefined; // written below, and nowhere else
  if (made) return move(core, equipment, made);
  const ids = await makeAll(core, equipment);
  const value: Json = ids;
  await journal.commit({ durability: "fixed", puts: [{ space: SPACE, key: KEY, value }] });
}

async function move(core: FarmCore, equipment: readonly SampleEquipment[], made: Made): Promise<void> {
  for (const { key, row } of equipment) {
    const there = core.book.find(made[key] ?? 0); // ids begin with 1
    if (there && row.address !== undefined && there.address !== row.address)
      await core.book.update(there.id, { address: row.address }, BY);
  }
}

async function makeAll(core: FarmCore, equipment: readonly SampleEquipment[]): Promise<Record<string, number>> {
  const { book, zones, automations } = core;
  const beds = await zones.create({ name: "Beds", description: "Two beds in the open" }, BY);
  const greenhouse = await zones.create({ name: "Greenhouse" }, BY);
  const ids: Record<string, number> = {};
  for (const { key, row, zone } of equipment) {
    const { id } = await book.create(row, BY);
    ids[key] = id;
    await zones.link((zone === "beds" ? beds : greenhouse).id, id, BY);
  }
  const shed = { type: "control", equipment_id: ids["shed-relays"] ?? 0 } as const;
  await automations.create(
    {
      name: "Water the north bed",
      description: "Opens the north valve, then starts the pump.",
      trigger_config: { type: "manual" },
      actions: [
        { ...shed, channel: 1, action: "on" },
        { ...shed, channel: 0, action: "on" },
      ],
    },
    BY,
  );
  await automations.create(
    {
      name: "Everything off",
      description: "Stops the pump and closes both valves.",
      trigger_config: { type: "manual" },
      actions: [
        { ...shed, channel: 0, action: "off" },
        { ...shed, channel: 1, action: "off" },
        { ...shed, channel: 2, action: "off" },
        { type: "alert", severity: "info", message: "Watering was stopped by hand." },
      ],
    },
    BY,
  );
  return ids;
}
