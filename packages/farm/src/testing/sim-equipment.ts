import type { NewEquipment } from "../model/equipment-input.ts";

/** Where the virtual farm listens; its own types stay on its side. */
export interface FarmAddresses {
  readonly shed: { readonly host: string; readonly port: number };
  readonly greenhouse: { readonly host: string; readonly port: number };
}

const at = ({ host, port }: { readonly host: string; readonly port: number }): string => `${host}:${port}`;

/** The relay board of the virtual farm's shed: channels 0 to 7 are pump, two valves, doser and four free ones. */
export function shedRelays(addresses: FarmAddresses): NewEquipment {
  const names = ["pump", "valve-north", "valve-south", "doser", "free-5", "free-6", "free-7", "free-8"];
  return {
    name: "Shed relays",
    type: "relay",
    address: at(addresses.shed),
    slave_id: 1,
    polling_interval_ms: 500,
    register_mappings: names.map((name, register) => ({ name, register, type: "coil", access: "readwrite" })),
  };
}

export function soilProbe(addresses: FarmAddresses, slave_id = 2): NewEquipment {
  return {
    name: `Soil probe ${slave_id}`,
    type: "sensor",
    address: at(addresses.shed),
    slave_id,
    polling_interval_ms: 200,
    register_mappings: [
      { name: "moisture", register: 0, type: "input", scale: 0.1, unit: "%" },
      { name: "temperature", register: 1, type: "input", dataType: "int16", scale: 0.1, unit: "C" },
      { name: "ec", register: 2, type: "input", unit: "uS/cm" },
    ],
  };
}

/** Behind RTU over TCP. */
export function climateSensor(addresses: FarmAddresses): NewEquipment {
  return {
    name: "Greenhouse climate",
    type: "sensor",
    address: at(addresses.greenhouse),
    transport: "rtu_over_tcp",
    slave_id: 1,
    polling_interval_ms: 200,
    register_mappings: [
      { name: "temperature", register: 1, type: "input", dataType: "int16", scale: 0.1, unit: "C" },
      { name: "humidity", register: 2, type: "input", scale: 0.1, unit: "%" },
    ],
  };
}

export function greenhouseRelays(addresses: FarmAddresses): NewEquipment {
  return {
    name: "Greenhouse relays",
    type: "relay",
    address: at(addresses.greenhouse),
    transport: "rtu_over_tcp",
    slave_id: 6,
    polling_interval_ms: 500,
    register_mappings: [1, 2, 3, 4, 5, 6].map((register) => ({
      name: `relay-${register}`,
      register,
      type: "coil",
      access: "readwrite",
    })),
  };
}
