/** B523 on the VR_71 with 06: sensors 1 to 7 and two bytes, a real capture. */
export const VR71_SENSORS_1_TO_7 = "CD 00 0C 01 1E 01 00 80 E7 02 E9 02 76 05 40 00";
/** With 07: sensors 8 to 12, none connected. Filled in. */
export const VR71_SENSORS_8_TO_12 = "00 80 00 80 00 80 00 80 00 80";

export interface Identity {
  /** Five characters. */
  readonly id: string;
  readonly software: readonly [number, number];
  readonly hardware: readonly [number, number];
  /** 28 characters, for the scan id. All but the boiler's are filled in. */
  readonly serial: string;
}

export const BASV2: Identity = {
  id: "BASV2",
  software: [0x05, 0x07],
  hardware: [0x17, 0x04],
  serial: "21213400202609150082014267N8",
};
export const VRC700: Identity = {
  id: "70000",
  software: [0x06, 0x14],
  hardware: [0x69, 0x03],
  serial: "21160200202609150082007113N5",
};
export const BAI00: Identity = {
  id: "BAI00",
  software: [0x02, 0x02],
  hardware: [0x76, 0x03],
  serial: "21231600202609140953035469N6",
};
export const HMU00: Identity = {
  id: "HMU00",
  software: [0x09, 0x02],
  hardware: [0x51, 0x03],
  serial: "21222300100212980001005291N4",
};
export const VR_71: Identity = {
  id: "VR_71",
  software: [0x01, 0x00],
  hardware: [0x59, 0x04],
  serial: "21190800202008450082005018N2",
};
export const NETX3: Identity = {
  id: "NETX3",
  software: [0x40, 0x40],
  hardware: [0x04, 0x04],
  serial: "21230700202605300938005321N1",
};
export const VR_92: Identity = {
  id: "VR_92",
  software: [0x05, 0x14],
  hardware: [0x12, 0x04],
  serial: "21211500202609170082011834N3",
};

/** The heat pump's B509 numbers: the same addresses as the boiler's, other meanings. Filled in. */
export const HEAT_PUMP_REGISTERS: Readonly<Record<string, string>> = {
  BB00: "2A", // power %
  "1400": "6E 00", // compressor pressure
  "3F00": "0F", // inrush limiter
  E400: "01", // compressor state
};

/** The heat pump's B524 values, by `opcode/group/instance/register`; it sends f32 high byte first. Filled in. */
export const HEAT_PUMP_VALUES: Readonly<Record<string, number>> = {
  "02/00/00/39": 1.75,
  "02/00/00/4B": 34.5,
  "02/00/00/73": 6.25,
};
