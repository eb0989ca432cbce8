import type { RegisterMapping } from "../modbus/register-mapping.ts";
import type { DeviceTemplate } from "./rows.ts";

/** Devices that come with the hub. Their numbers are part of what clients may have kept. */
export const SYSTEM_DEVICE_TEMPLATES: readonly DeviceTemplate[] = [
  ...[4, 6, 8, 16, 32].map((channels, index) =>
    template(index + 1, {
      name: `Waveshare ${channels}-Channel Relay`,
      category: "relay",
      manufacturer: "Waveshare",
      model: `Modbus RTU Relay ${channels}CH`,
      description: `${channels} relays on coils 0 to ${channels - 1}`,
      default_polling_interval_ms: 5_000,
      register_mappings: [...Array.from({ length: channels }, (_, coil) => relay(coil)), ...boardSettings()],
    }),
  ),
  template(6, {
    name: "Temperature/Humidity Sensor",
    category: "sensor",
    description: "Tenths of a degree and of a percent in inputs 0 and 1",
    default_polling_interval_ms: 5_000,
    register_mappings: [
      { name: "temperature", register: 0, type: "input", dataType: "int16", scale: 0.1, unit: "°C", access: "read" },
      { name: "humidity", register: 1, type: "input", dataType: "uint16", scale: 0.1, unit: "%", access: "read" },
    ],
  }),
  template(7, {
    name: "Power Meter",
    category: "meter",
    description: "Voltage, current, power and energy as 32-bit floats",
    register_mappings: [
      float("voltage", 0, "V"),
      float("current", 2, "A"),
      float("power", 4, "W"),
      float("energy", 6, "kWh"),
    ],
  }),
  template(8, {
    name: "Variable Frequency Drive",
    category: "controller",
    description: "Setpoint, measured values and a run coil",
    register_mappings: [
      { name: "setpoint", register: 0, type: "holding", scale: 0.1, unit: "Hz", access: "readwrite" },
      { name: "frequency", register: 1, type: "input", scale: 0.1, unit: "Hz", access: "read" },
      { name: "current", register: 2, type: "input", scale: 0.1, unit: "A", access: "read" },
      { name: "status", register: 3, type: "input", access: "read" },
      { name: "run", register: 0, type: "coil", dataType: "bool", access: "readwrite" },
    ],
  }),
];

function template(
  id: number,
  given: Pick<DeviceTemplate, "name" | "category" | "description" | "register_mappings"> & Partial<DeviceTemplate>,
): DeviceTemplate {
  return {
    manufacturer: null,
    model: null,
    protocol: "modbus",
    default_slave_id: 1,
    default_polling_interval_ms: 1_000,
    is_system: true,
    created_at: 0,
    ...given,
    id,
  };
}

/** The board counts a pulse out by itself, so a timed ON ends even if the hub does not live to see it. */
function relay(coil: number): RegisterMapping {
  return {
    name: `relay_${coil + 1}`,
    label: `Relay ${coil + 1}`,
    register: coil,
    type: "coil",
    dataType: "bool",
    access: "readwrite",
    onBoardPulse: true,
  };
}

/** Baud rate and address: named so that nobody wonders, never polled and never written. */
function boardSettings(): RegisterMapping[] {
  return [
    { name: "baud_rate", register: 8_192, type: "holding", access: "read", enabled: false },
    { name: "device_address", register: 16_384, type: "holding", access: "read", enabled: false },
  ];
}

function float(name: string, register: number, unit: string): RegisterMapping {
  return { name, register, type: "input", dataType: "float32", quantity: 2, unit, access: "read" };
}
