import type { ModbusReply, ModbusRequest } from "../modbus/modbus-request.ts";

/** The byte vectors of the farm contract, section 4.4: TCP with transaction 1, RTU with CRC. */
export interface Vector {
  readonly rules: string;
  readonly title: string;
  readonly request: ModbusRequest;
  readonly tcp: readonly [string, string];
  readonly rtu: readonly [string, string];
  /** What the answer means; a number is the exception's code. */
  readonly means: ModbusReply | number;
}

const written: ModbusReply = { kind: "written" };
const bits = (...on: number[]): ModbusReply => ({ kind: "bits", bits: on.map((bit) => bit === 1) });
const words = (...values: number[]): ModbusReply => ({ kind: "words", words: values });

export const VECTORS: readonly Vector[] = [
  {
    rules: "farm.vector.read-coils",
    title: "FC01 unit 1, coils 0 to 7",
    request: { kind: "read", unit: 1, fc: 1, address: 0, quantity: 8 },
    tcp: ["00 01 00 00 00 06 01 01 00 00 00 08", "00 01 00 00 00 04 01 01 01 05"],
    rtu: ["01 01 00 00 00 08 3D CC", "01 01 01 05 91 8B"],
    means: bits(1, 0, 1, 0, 0, 0, 0, 0),
  },
  {
    rules: "farm.vector.read-coils",
    title: "FC01 unit 6, coils 1 to 6",
    request: { kind: "read", unit: 6, fc: 1, address: 1, quantity: 6 },
    tcp: ["00 01 00 00 00 06 06 01 00 01 00 06", "00 01 00 00 00 04 06 01 01 05"],
    rtu: ["06 01 00 01 00 06 EC 7F", "06 01 01 05 90 FF"],
    means: bits(1, 0, 1, 0, 0, 0),
  },
  {
    rules: "farm.vector.read-coils",
    title: "FC01 unit 1, 19 coils from 0x13",
    request: { kind: "read", unit: 1, fc: 1, address: 0x13, quantity: 19 },
    tcp: ["00 01 00 00 00 06 01 01 00 13 00 13", "00 01 00 00 00 06 01 01 03 CD 6B 05"],
    rtu: ["01 01 00 13 00 13 8C 02", "01 01 03 CD 6B 05 42 82"],
    means: bits(1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1),
  },
  {
    rules: "farm.vector.read-discrete",
    title: "FC02 unit 1, inputs 0 to 7",
    request: { kind: "read", unit: 1, fc: 2, address: 0, quantity: 8 },
    tcp: ["00 01 00 00 00 06 01 02 00 00 00 08", "00 01 00 00 00 04 01 02 01 81"],
    rtu: ["01 02 00 00 00 08 79 CC", "01 02 01 81 61 E8"],
    means: bits(1, 0, 0, 0, 0, 0, 0, 1),
  },
  {
    rules: "farm.vector.read-holding",
    title: "FC03 unit 6, registers 0 to 3",
    request: { kind: "read", unit: 6, fc: 3, address: 0, quantity: 4 },
    tcp: ["00 01 00 00 00 06 06 03 00 00 00 04", "00 01 00 00 00 0B 06 03 08 00 01 00 06 00 06 00 00"],
    rtu: ["06 03 00 00 00 04 45 BE", "06 03 08 00 01 00 06 00 06 00 00 F7 62"],
    means: words(1, 6, 6, 0),
  },
  {
    rules: "farm.vector.read-holding",
    title: "FC03 unit 1, float 25.5",
    request: { kind: "read", unit: 1, fc: 3, address: 0, quantity: 2 },
    tcp: ["00 01 00 00 00 06 01 03 00 00 00 02", "00 01 00 00 00 07 01 03 04 41 CC 00 00"],
    rtu: ["01 03 00 00 00 02 C4 0B", "01 03 04 41 CC 00 00 2E 30"],
    means: words(0x41cc, 0),
  },
  {
    rules: "farm.vector.read-input",
    title: "FC04 unit 1, 276 and 582",
    request: { kind: "read", unit: 1, fc: 4, address: 1, quantity: 2 },
    tcp: ["00 01 00 00 00 06 01 04 00 01 00 02", "00 01 00 00 00 07 01 04 04 01 14 02 46"],
    rtu: ["01 04 00 01 00 02 20 0B", "01 04 04 01 14 02 46 3A EE"],
    means: words(276, 582),
  },
  {
    rules: "farm.vector.read-input",
    title: "FC04 unit 2, minus 50 and 613",
    request: { kind: "read", unit: 2, fc: 4, address: 0, quantity: 2 },
    tcp: ["00 01 00 00 00 06 02 04 00 00 00 02", "00 01 00 00 00 07 02 04 04 FF CE 02 65"],
    rtu: ["02 04 00 00 00 02 71 F8", "02 04 04 FF CE 02 65 58 24"],
    means: words(0xffce, 613),
  },
  {
    rules: "farm.vector.write-coil",
    title: "FC05 unit 1 coil 0 ON",
    request: { kind: "write-coil", unit: 1, address: 0, on: true },
    tcp: ["00 01 00 00 00 06 01 05 00 00 FF 00", "00 01 00 00 00 06 01 05 00 00 FF 00"],
    rtu: ["01 05 00 00 FF 00 8C 3A", "01 05 00 00 FF 00 8C 3A"],
    means: written,
  },
  {
    rules: "farm.vector.write-coil",
    title: "FC05 unit 1 coil 0 OFF",
    request: { kind: "write-coil", unit: 1, address: 0, on: false },
    tcp: ["00 01 00 00 00 06 01 05 00 00 00 00", "00 01 00 00 00 06 01 05 00 00 00 00"],
    rtu: ["01 05 00 00 00 00 CD CA", "01 05 00 00 00 00 CD CA"],
    means: written,
  },
  {
    rules: "farm.vector.write-coil",
    title: "FC05 unit 6 coil 3 ON",
    request: { kind: "write-coil", unit: 6, address: 3, on: true },
    tcp: ["00 01 00 00 00 06 06 05 00 03 FF 00", "00 01 00 00 00 06 06 05 00 03 FF 00"],
    rtu: ["06 05 00 03 FF 00 7D 8D", "06 05 00 03 FF 00 7D 8D"],
    means: written,
  },
  ...board("farm.board.all-channels-vector", "all relays of a board ON", "00 FF FF 00", "BC 0A", {
    kind: "write-coil",
    unit: 1,
    address: 0xff,
    on: true,
  }),
  ...board("farm.board.all-channels-vector", "all relays of a board OFF", "00 FF 00 00", "FD FA", {
    kind: "write-coil",
    unit: 1,
    address: 0xff,
    on: false,
  }),
  ...board("farm.board.toggle-vector", "one relay toggled", "00 00 55 00", "F2 9A", {
    kind: "coil-command",
    unit: 1,
    address: 0,
    value: 0x5500,
  }),
  ...board("farm.board.pulse-vectors", "a pulse of 0.7 s", "02 00 00 07", "8D B0", {
    kind: "coil-command",
    unit: 1,
    address: 0x0200,
    value: 7,
  }),
  ...board("farm.board.pulse-vectors", "a pulse of 600 s", "02 00 17 70", "C2 66", {
    kind: "coil-command",
    unit: 1,
    address: 0x0200,
    value: 6_000,
  }),
  {
    rules: "farm.vector.write-register",
    title: "FC06 unit 1 register 1",
    request: { kind: "write-register", unit: 1, address: 1, value: 3 },
    tcp: ["00 01 00 00 00 06 01 06 00 01 00 03", "00 01 00 00 00 06 01 06 00 01 00 03"],
    rtu: ["01 06 00 01 00 03 98 0B", "01 06 00 01 00 03 98 0B"],
    means: written,
  },
  {
    rules: "farm.vector.write-register",
    title: "FC06 board address",
    request: { kind: "write-register", unit: 1, address: 0x4000, value: 2 },
    tcp: ["00 01 00 00 00 06 01 06 40 00 00 02", "00 01 00 00 00 06 01 06 40 00 00 02"],
    rtu: ["01 06 40 00 00 02 1D CB", "01 06 40 00 00 02 1D CB"],
    means: written,
  },
  {
    rules: "farm.vector.write-coils",
    title: "FC0F unit 1, eight ON",
    request: { kind: "write-coils", unit: 1, address: 0, states: Array.from({ length: 8 }, () => true) },
    tcp: ["00 01 00 00 00 08 01 0F 00 00 00 08 01 FF", "00 01 00 00 00 06 01 0F 00 00 00 08"],
    rtu: ["01 0F 00 00 00 08 01 FF BE D5", "01 0F 00 00 00 08 54 0D"],
    means: written,
  },
  {
    rules: "farm.vector.write-coils",
    title: "FC0F unit 1, eight OFF",
    request: { kind: "write-coils", unit: 1, address: 0, states: Array.from({ length: 8 }, () => false) },
    tcp: ["00 01 00 00 00 08 01 0F 00 00 00 08 01 00", "00 01 00 00 00 06 01 0F 00 00 00 08"],
    rtu: ["01 0F 00 00 00 08 01 00 FE 95", "01 0F 00 00 00 08 54 0D"],
    means: written,
  },
  {
    rules: "farm.vector.write-coils",
    title: "FC0F unit 6, coils 1 to 6",
    request: { kind: "write-coils", unit: 6, address: 1, states: [true, false, true, false, false, true] },
    tcp: ["00 01 00 00 00 08 06 0F 00 01 00 06 01 25", "00 01 00 00 00 06 06 0F 00 01 00 06"],
    rtu: ["06 0F 00 01 00 06 01 25 22 AB", "06 0F 00 01 00 06 85 BE"],
    means: written,
  },
  {
    rules: "farm.vector.write-coils",
    title: "FC0F unit 1, ten coils from 0x13",
    request: {
      kind: "write-coils",
      unit: 1,
      address: 0x13,
      states: [1, 0, 1, 1, 0, 0, 1, 1, 1, 0].map((bit) => bit === 1),
    },
    tcp: ["00 01 00 00 00 09 01 0F 00 13 00 0A 02 CD 01", "00 01 00 00 00 06 01 0F 00 13 00 0A"],
    rtu: ["01 0F 00 13 00 0A 02 CD 01 72 CB", "01 0F 00 13 00 0A 24 09"],
    means: written,
  },
  {
    rules: "farm.vector.write-registers",
    title: "FC10 unit 1, registers 1 and 2",
    request: { kind: "write-registers", unit: 1, address: 1, values: [10, 258] },
    tcp: ["00 01 00 00 00 0B 01 10 00 01 00 02 04 00 0A 01 02", "00 01 00 00 00 06 01 10 00 01 00 02"],
    rtu: ["01 10 00 01 00 02 04 00 0A 01 02 92 30", "01 10 00 01 00 02 10 08"],
    means: written,
  },
  {
    rules: "farm.vector.write-registers",
    title: "FC10 float 25.5",
    request: { kind: "write-registers", unit: 1, address: 0, values: [0x41cc, 0] },
    tcp: ["00 01 00 00 00 0B 01 10 00 00 00 02 04 41 CC 00 00", "00 01 00 00 00 06 01 10 00 00 00 02"],
    rtu: ["01 10 00 00 00 02 04 41 CC 00 00 27 AC", "01 10 00 00 00 02 41 C8"],
    means: written,
  },
  {
    rules: "farm.vector.exceptions",
    title: "exception 02 to FC03",
    request: { kind: "read", unit: 1, fc: 3, address: 100, quantity: 1 },
    tcp: ["00 01 00 00 00 06 01 03 00 64 00 01", "00 01 00 00 00 03 01 83 02"],
    rtu: ["01 03 00 64 00 01 C5 D5", "01 83 02 C0 F1"],
    means: 2,
  },
  {
    rules: "farm.vector.exceptions",
    title: "exception 01 to FC01",
    request: { kind: "read", unit: 1, fc: 1, address: 0, quantity: 8 },
    tcp: ["00 01 00 00 00 06 01 01 00 00 00 08", "00 01 00 00 00 03 01 81 01"],
    rtu: ["01 01 00 00 00 08 3D CC", "01 81 01 81 90"],
    means: 1,
  },
  {
    rules: "farm.vector.exceptions",
    title: "gateway exception 0B to FC04 of unit 9",
    request: { kind: "read", unit: 9, fc: 4, address: 0, quantity: 1 },
    tcp: ["00 01 00 00 00 06 09 04 00 00 00 01", "00 01 00 00 00 03 09 84 0B"],
    rtu: ["09 04 00 00 00 01 30 82", "09 84 0B 83 05"],
    means: 0x0b,
  },
];

/** FC 05 of unit 1 to a relay board, section 4.6, which echoes it. */
function board(rules: string, title: string, data: string, crc: string, request: ModbusRequest): readonly Vector[] {
  const tcp = `00 01 00 00 00 06 01 05 ${data}`;
  const rtu = `01 05 ${data} ${crc}`;
  return [{ rules, title, request, tcp: [tcp, tcp], rtu: [rtu, rtu], means: written }];
}

export function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(" ", ""), "hex");
}
