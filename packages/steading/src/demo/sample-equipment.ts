import type { FarmPart } from "@steading/farm";
import type { FarmAddresses } from "@steading/sim";

type NewEquipment = Parameters<FarmPart["core"]["book"]["create"]>[0];

export interface SampleEquipment {
  /** The demo's own name for it. */
  readonly key: string;
  readonly zone: "beds" | "greenhouse";
  readonly row: NewEquipment;
}

const at = ({ host, port }: { readonly host: string; readonly port: number }): string => `${host}:${port}`;
const SHED_CHANNELS = ["pump", "valve-north", "valve-south", "doser", "free-5", "free-6", "free-7", "free-8"];
const GREENHOUSE_CHANNELS = ["fan", "heater", "free-3", "free-4", "free-5", "free-6"];
const EVERY = 2_000;
/** The soil of the south bed starts below it, so that there is an alert to look at. */
const DRY_PERCENT = 29;

/** The virtual farm's units as equipment; docs/reference/virtual-farm.md has their registers. */
export function sampleEquipment({ shed, greenhouse }: FarmAddresses): readonly SampleEquipment[] {
  const tcp = (slave_id: number) => ({ address: at(shed), slave_id, polling_interval_ms: EVERY });
  const rtu = (slave_id: number) =>
    ({ address: at(greenhouse), transport: "rtu_over_tcp", slave_id, polling_interval_ms: EVERY }) as const;
  const coils = (names: readonly string[], first: number): NonNullable<NewEquipment["register_mappings"]> =>
    names.map((name, i) => ({ name, register: first + i, type: "coil", access: "readwrite" }));
  return [
    {
      key: "shed-relays",
      zone: "beds",
      row: { name: "Shed relays", type: "relay", ...tcp(1), register_mappings: coils(SHED_CHANNELS, 0) },
    },
    {
      key: "soil-north",
      zone: "beds",
      row: { name: "Soil north", type: "sensor", ...tcp(2), register_mappings: soil() },
    },
    {
      key: "soil-south",
      zone: "beds",
      row: { name: "Soil south", type: "sensor", ...tcp(3), register_mappings: soil() },
    },
    {
      key: "flow",
      zone: "beds",
      row: {
        name: "Water meter",
        type: "meter",
        ...tcp(5),
        register_mappings: [
          { name: "flow", register: 0, type: "input", scale: 0.1, unit: "l/min" },
          { name: "total", register: 1, type: "input", dataType: "uint32", wordOrder: "little", unit: "l" },
        ],
      },
    },
    {
      key: "climate",
      zone: "greenhouse",
      row: {
        name: "Greenhouse climate",
        type: "sensor",
        ...rtu(1),
        register_mappings: [
          { name: "temperature", register: 1, type: "input", dataType: "int16", scale: 0.1, unit: "C" },
          { name: "humidity", register: 2, type: "input", scale: 0.1, unit: "%" },
        ],
      },
    },
    {
      key: "solution",
      zone: "greenhouse",
      row: {
        name: "Nutrient solution",
        type: "sensor",
        ...rtu(4),
        register_mappings: [
          { name: "ph", register: 0, type: "holding", dataType: "float32" },
          { name: "ec", register: 2, type: "holding", dataType: "float32", unit: "mS/cm" },
          { name: "temperature", register: 4, type: "holding", dataType: "float32", unit: "C" },
        ],
      },
    },
    {
      key: "greenhouse-relays",
      zone: "greenhouse",
      row: { name: "Greenhouse relays", type: "relay", ...rtu(6), register_mappings: coils(GREENHOUSE_CHANNELS, 1) },
    },
  ];
}

function soil(): NonNullable<NewEquipment["register_mappings"]> {
  return [
    {
      name: "moisture",
      register: 0,
      type: "input",
      scale: 0.1,
      unit: "%",
      alarmLow: DRY_PERCENT,
      alarmSeverity: "warning",
    },
    { name: "temperature", register: 1, type: "input", dataType: "int16", scale: 0.1, unit: "C" },
    { name: "ec", register: 2, type: "input", unit: "uS/cm" },
  ];
}
