import { createA64Client, type A64Client, type A64ClientOptions } from "@steading/sim";
import { startFarmHub, type FarmHub, type FarmHubOptions } from "./farm-hub.ts";

/** A hub with a furnished farm, and the way in for the backend that SenseHub hubs have today. */
export interface A64Farm {
  readonly place: FarmHub;
  /** The shed's relay board: coil 0 is the pump, 1 and 2 are valves. */
  readonly board: number;
  /** The soil probe of the north bed. */
  readonly probe: number;
  /** One with a login of its own; of the site's operator unless options say otherwise. */
  client(options?: Partial<A64ClientOptions>): A64Client;
  readonly user: { readonly email: string; readonly password: string };
}

export const ZONE = "North Beds";
const CHANNELS = ["pump", "valve north", "valve south", "doser", "five", "six", "seven", "eight"];

export async function startA64Farm(options?: FarmHubOptions): Promise<A64Farm> {
  const place = await startFarmHub(options);
  const { host, port } = place.addresses.shed;
  const bus = { protocol: "modbus", address: `${host}:${port}`, polling_interval_ms: 500 };
  const board = await place.addEquipment({
    ...bus,
    name: "Shed relays",
    type: "relay",
    slave_id: 1,
    register_mappings: CHANNELS.map((name, i) => ({ name, register: String(i), type: "coil", access: "readwrite" })),
  });
  const probe = await place.addEquipment({
    ...bus,
    name: "Soil north",
    type: "sensor",
    slave_id: 2,
    register_mappings: [
      { name: "moisture", register: "0", type: "input", scale: 0.1, unit: "%" },
      { name: "temperature", register: "1", type: "input", dataType: "int16", scale: 0.1, unit: "C" },
    ],
  });
  const zone = await place.rest("POST", "/api/zones", { body: { name: ZONE } });
  const { id } = zone.json as { id: number };
  await place.rest("POST", `/api/zones/${id}/equipment`, { body: { equipment_id: probe } });
  const user = await place.addUser("operator");
  return {
    place,
    board,
    probe,
    user,
    client: (more = {}) => createA64Client({ core: place.hub.url, mcp: place.mcpServer, ...user, ...more }),
  };
}
