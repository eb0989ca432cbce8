import type { FaultName, FaultSettings } from "./faults.ts";
import { fromHex } from "./hex.ts";
import type { HouseKnobs, KnobSettings } from "./knobs.ts";
import { HOUSE_SETTINGS } from "./settings.ts";

/** Reads the text of one option; undefined where it makes no sense. */
interface Reader {
  read(text: string): unknown;
  readonly expected: string;
}

const hexByte = (text: string): number | undefined =>
  /^(0x)?[0-9a-f]{2}$/i.test(text) ? Number.parseInt(text.slice(-2), 16) : undefined;
const hexBytes = (text: string, count?: number): number[] | undefined =>
  /^([0-9a-f]{2})+$/i.test(text) && (count === undefined || text.length === count * 2) ? [...fromHex(text)] : undefined;
const wholeNumber = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);
const yesOrNo = (text: string): boolean | undefined => YES_NO[text];
const YES_NO: Readonly<Record<string, boolean>> = { true: true, on: true, false: false, off: false };

const byte: Reader = { read: hexByte, expected: "two hex digits" };
const number: Reader = { read: wholeNumber, expected: "a whole number" };
const flag: Reader = { read: yesOrNo, expected: "true or false" };
const oneOf = (...words: readonly string[]): Reader => ({
  read: (text) => (words.includes(text) ? text : undefined),
  expected: words.join(" or "),
});
const times: Reader = {
  read: (text) => (text === "endless" ? Number.POSITIVE_INFINITY : wholeNumber(text)),
  expected: "a whole number, or endless",
};
const aim = { target: byte, from: oneOf("outside", "house", "anyone") };

/** Every option of every fault: a fault that gets another option does not compile before it is here. */
const OPTIONS: {
  readonly [Name in FaultName]: Readonly<
    Record<keyof Required<Omit<NonNullable<FaultSettings[Name]>, "times">>, Reader>
  >;
} = {
  dropAck: { ...aim, carryOut: flag },
  nack: aim,
  commandCrc: aim,
  responseCrc: aim,
  silence: aim,
  lateAnswer: { ...aim, ms: number, part: oneOf("ack", "response") },
  deadLine: {},
  stuckSyn: {},
  theft: { by: { read: (text) => (/^(10|03)$/.test(text) ? hexByte(text) : undefined), expected: "10 or 03" } },
  ghost: { of: { read: (text) => hexBytes(text, 2), expected: "two addresses such as 7ff1" } },
  noise: {
    ...aim,
    bytes: { read: (text) => hexBytes(text), expected: "bytes such as 55aa" },
    at: oneOf("idle", "ack", "response"),
  },
  flipSymbol: { mask: byte },
  halfPair: { silentMs: number },
  lostTimerSlot: {},
  zoneVanish: { zone: number },
  lostDatagram: {},
};

/** What can be turned by text: settings, then faults. */
export const HOUSE_KNOBS: readonly string[] = [...Object.keys(HOUSE_SETTINGS), ...Object.keys(OPTIONS)];

/**
 * A knob from text: `latencyMs` and `60`, or `nack` and `times=2,target=15`. Addresses, masks and bytes are hex, as
 * everywhere on the bus. Throws a sentence about what is wrong.
 */
export function readKnobText(name: string, text: string): KnobSettings {
  if (Object.hasOwn(OPTIONS, name)) return { faults: { [name]: faultOptions(name as FaultName, text) } }; // own, so a fault
  return { [name]: settingValue(text.trim()) };
}

function faultOptions(name: FaultName, text: string): Readonly<Record<string, unknown>> {
  const readers: Readonly<Record<string, Reader>> = { times, ...OPTIONS[name] };
  const options: Record<string, unknown> = {};
  for (const part of text.split(/[\s,]+/).filter((each) => each !== "")) {
    const [option = "", given = ""] = part.split("=", 2);
    const reader = Object.hasOwn(readers, option) ? readers[option] : undefined;
    if (!reader) throw new Error(`Knob ${name} has no option ${option}; it has ${Object.keys(readers).join(", ")}.`);
    const value = reader.read(given);
    if (value === undefined) throw new Error(`Knob ${name}: ${option}: expected ${reader.expected}, got ${given}.`);
    options[option] = value;
  }
  return options;
}

/** What kind of value a setting takes is checked where it is turned. */
function settingValue(text: string): unknown {
  if (text === "null" || text === "none") return null;
  if (/^0x[0-9a-f]{1,4}$/i.test(text) || /^\d+(\.\d+)?$/.test(text)) return Number(text);
  return yesOrNo(text) ?? text;
}

/** Carries out one line that somebody typed, and answers in one line. Throws a sentence about what is wrong. */
export function carryOutKnobLine(knobs: HouseKnobs, line: string): string {
  const [word = "", ...rest] = line.trim().split(/\s+/);
  const text = rest.join(" ");
  switch (word) {
    case "help":
      return `Knobs: ${HOUSE_KNOBS.join(", ")}. Also: <fault> off, cut, resetAdapter, adapterError [ebus|host] [code], inject <hex>, counts, reset.`;
    case "cut":
    case "resetAdapter":
    case "reset":
      knobs[word]();
      return "ok";
    case "adapterError":
      knobs.adapterError(adapterError(rest));
      return "ok";
    case "inject":
      knobs.inject(bytesToInject(rest.join("")));
      return "ok";
    case "counts":
      return JSON.stringify(knobs.counts());
    default:
  }
  if (text === "off" && Object.hasOwn(OPTIONS, word)) knobs.faults[word as FaultName].disarm(); // own, so a fault
  else knobs.turn(readKnobText(word, text));
  return "ok";
}

function adapterError([about = "ebus", code = "0"]: readonly string[]): { about: "ebus" | "host"; code: number } {
  if (about !== "ebus" && about !== "host") throw new Error(`adapterError: expected ebus or host, got ${about}.`);
  const number = wholeNumber(code);
  if (number === undefined || number > 0xff)
    throw new Error(`adapterError: expected a code from 0 to 255, got ${code}.`);
  return { about, code: number };
}

function bytesToInject(text: string): readonly number[] {
  const bytes = hexBytes(text);
  if (!bytes || bytes.length > 256) throw new Error("inject: expected up to 256 bytes as hex.");
  return bytes;
}
