/** How the house is put together and how its adapter behaves; all can be changed while it runs. */
export interface HouseSettings {
  /** After a command a target answers that much later, 5 to 30. */
  readonly ackMs: number;
  /** What a slow adapter adds to each symbol on its way to the host, 0 to 1 000. */
  readonly latencyMs: number;
  /** To a command it does not know a device answers with one byte 00, or it refuses. */
  readonly unknownCommand: "stub" | "nack";
  /** The cyclic traffic of the house's own initiators. */
  readonly traffic: boolean;
  /** The VR_92 at 35 is on the wire. */
  readonly vr92: boolean;
  /** At 15: a VRC720 (BASV2), or a VRC700 (70000), which has no B555. */
  readonly regulator: "BASV2" | "VRC700";
  /** At 08: a boiler (BAI00), or a heat pump (HMU00). */
  readonly heatSource: "boiler" | "heat-pump";
  /** The configuration of the VR_71, 1 to 11; above 2 it is only a box of relays. */
  readonly fm5Config: number;
  /** The boiler's active error, such as 281; it does not burn until that is null. */
  readonly boilerError: number | null;
  /** Bit 0 of what the enhanced adapter says about itself: it can tell INFO. */
  readonly adapterInfo: boolean;
  /** How much the adapter tells about its version; the rest of INFO depends on it. */
  readonly adapterVersionLength: 2 | 5 | 8;
  /** 01 enhanced, 02 high speed, 04 ethernet, 08 wifi, 10 v3.1, 20 soft config. */
  readonly adapterJumpers: number;
  /** Each byte to a host in a segment of its own. */
  readonly dribble: boolean;
  /** Connections are taken and dropped at once. */
  readonly refuse: boolean;
}

export const HOUSE_SETTINGS: HouseSettings = {
  ackMs: 8,
  latencyMs: 0,
  unknownCommand: "stub",
  traffic: true,
  vr92: true,
  regulator: "BASV2",
  heatSource: "boiler",
  fm5Config: 2,
  boilerError: null,
  adapterInfo: true,
  adapterVersionLength: 8,
  adapterJumpers: 0x0b,
  dribble: false,
  refuse: false,
};

type Check = readonly [allowed: (value: unknown) => boolean, expected: string];

const boolean: Check = [(value) => typeof value === "boolean", "true or false"];
const oneOf = (...words: readonly unknown[]): Check => [(value) => words.includes(value), words.join(" or ")];
const within = (min: number, max: number): Check => [
  (value) => typeof value === "number" && value >= min && value <= max,
  `a number from ${min} to ${max}`,
];
const whole = (min: number, max: number): Check => [
  (value) => Number.isInteger(value) && within(min, max)[0](value),
  `a whole number from ${min} to ${max}`,
];

const CHECKS: Readonly<Record<keyof HouseSettings, Check>> = {
  ackMs: within(5, 30),
  latencyMs: within(0, 1_000),
  unknownCommand: oneOf("stub", "nack"),
  traffic: boolean,
  vr92: boolean,
  regulator: oneOf("BASV2", "VRC700"),
  heatSource: oneOf("boiler", "heat-pump"),
  fm5Config: whole(1, 11),
  boilerError: [(value) => value === null || whole(0, 0xfffe)[0](value), "an error number, or null"],
  adapterInfo: boolean,
  adapterVersionLength: oneOf(2, 5, 8),
  adapterJumpers: whole(0, 0xff),
  dribble: boolean,
  refuse: boolean,
};

/** Checks each given setting by name; the text comes from people and command lines. */
export function checkSettings(given: Readonly<Record<string, unknown>>): Partial<HouseSettings> {
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof HouseSettings] : undefined; // own, so a setting
    if (check === undefined) {
      throw new Error(`The house has no knob ${name}; it has ${Object.keys(CHECKS).join(", ")} and faults.`);
    }
    if (!check[0](value)) throw new Error(`Knob ${name}: expected ${check[1]}, got ${JSON.stringify(value)}.`);
  }
  return given; // every entry was checked
}
