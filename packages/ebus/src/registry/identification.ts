import { deviceText } from "@steading/kernel";

/** Who a device says it is, in answer to 07 04. */
export interface Identification {
  readonly manufacturer: string;
  readonly deviceId: string;
  /** Four hex digits, as they are printed on the device. */
  readonly software: string;
  readonly hardware: string;
}

const ANSWER = 10;
const VAILLANT = 0xb5;

/** Undefined: too short to be a device's answer. */
export function readIdentification(response: Uint8Array): Identification | undefined {
  if (response.length < ANSWER) return undefined;
  const hex = (from: number, to: number): string => Buffer.from(response.subarray(from, to)).toString("hex");
  return {
    manufacturer: response[0] === VAILLANT ? "Vaillant" : `0x${hex(0, 1).toUpperCase()}`,
    deviceId: deviceText(trimmed(response.subarray(1, 6)), 5),
    software: hex(6, 8),
    hardware: hex(8, 10),
  };
}

const SERIAL_CHUNKS = 4;
const CHUNK = 8;
const LONGEST_SERIAL = 40;
/** 28 characters, the first 26 of them digits. */
const WHOLE_SERIAL = /^\d{26}..$/;
const GROUPS = [2, 2, 2, 10, 4, 6, 2] as const;

/** The four answers to B5 09 24 to 27, each a status and eight characters. Undefined where one is missing. */
export function readSerialNumber(chunks: readonly Uint8Array[]): string | undefined {
  if (chunks.length !== SERIAL_CHUNKS || chunks.some((chunk) => chunk.length < CHUNK + 1 || chunk[0] !== 0))
    return undefined;
  const text = trimmed(Uint8Array.from(chunks.flatMap((chunk) => [...chunk.subarray(1, CHUNK + 1)])));
  if (text === "") return undefined;
  return deviceText(WHOLE_SERIAL.test(text) ? grouped(text) : text, LONGEST_SERIAL);
}

function grouped(text: string): string {
  let from = 0;
  return GROUPS.map((length) => text.slice(from, (from += length))).join("-");
}

function trimmed(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1").replaceAll("\0", " ").trim();
}
