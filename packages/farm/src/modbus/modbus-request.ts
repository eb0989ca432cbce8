import { farmError } from "../farm-errors.ts";

/** The four reads: coils, discrete inputs, holding registers, input registers. */
export type ReadFunction = 1 | 2 | 3 | 4;

/** One question to one unit. */
export type ModbusRequest =
  | {
      readonly kind: "read";
      readonly unit: number;
      readonly fc: ReadFunction;
      readonly address: number;
      readonly quantity: number;
    }
  | { readonly kind: "write-coil"; readonly unit: number; readonly address: number; readonly on: boolean }
  /** What some boards take FC 05 for besides on and off: toggling, and pulses that they count out by themselves. */
  | { readonly kind: "coil-command"; readonly unit: number; readonly address: number; readonly value: number }
  | { readonly kind: "write-register"; readonly unit: number; readonly address: number; readonly value: number }
  | {
      readonly kind: "write-coils";
      readonly unit: number;
      readonly address: number;
      readonly states: readonly boolean[];
    }
  | {
      readonly kind: "write-registers";
      readonly unit: number;
      readonly address: number;
      readonly values: readonly number[];
    }
  | { readonly kind: "identify"; readonly unit: number };

/** What a unit answered. */
export type ModbusReply =
  | { readonly kind: "bits"; readonly bits: readonly boolean[] }
  | { readonly kind: "words"; readonly words: readonly number[] }
  /** A write came back as its echo; to unit 0 there is none, and this says that it left. */
  | { readonly kind: "written" }
  | { readonly kind: "identification"; readonly objects: Readonly<Record<string, string>> };

const MOST_BITS = 2_000;
const MOST_REGISTERS = 125;
const MOST_WRITTEN_COILS = 1_968;
const MOST_WRITTEN_REGISTERS = 123;

function isWrite(request: ModbusRequest): boolean {
  return request.kind !== "read" && request.kind !== "identify";
}

/**
 * Refuses what the protocol cannot carry, before a byte leaves: libraries build such frames without a word, and some
 * devices answer them by locking up.
 */
export function checkRequest(request: ModbusRequest): void {
  whole("unit", request.unit, 0, 255);
  if (request.unit === 0 && !isWrite(request)) {
    throw farmError("BAD_INPUT", "Unit 0 is the broadcast address; it takes writes only.");
  }
  switch (request.kind) {
    case "read": {
      const { fc, address, quantity } = request;
      whole("function code", fc, 1, 4);
      span(address, quantity, fc <= 2 ? MOST_BITS : MOST_REGISTERS);
      return;
    }
    case "write-coil":
      span(request.address, 1, 1);
      flag("state", request.on);
      return;
    case "coil-command":
    case "write-register":
      span(request.address, 1, 1);
      whole("value", request.value, 0, 0xffff);
      return;
    case "write-coils":
      span(request.address, request.states.length, MOST_WRITTEN_COILS);
      for (const state of request.states) flag("state", state);
      return;
    case "write-registers":
      span(request.address, request.values.length, MOST_WRITTEN_REGISTERS);
      for (const value of request.values) whole("value", value, 0, 0xffff);
      return;
    case "identify":
  }
}

function span(address: number, quantity: number, most: number): void {
  whole("address", address, 0, 0xffff);
  whole("quantity", quantity, 1, most);
  if (address + quantity > 0x1_0000) {
    throw farmError("BAD_INPUT", `${quantity} from address ${address} reaches beyond address 65535.`);
  }
}

// Types say number and boolean, but what is written here moves pumps: a value that slipped past them costs no byte.
function whole(what: string, value: unknown, least: number, most: number): void {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return;
  throw farmError("BAD_INPUT", `The ${what} must be a whole number from ${least} to ${most}, not ${shown(value)}.`);
}
function flag(what: string, value: unknown): void {
  if (typeof value === "boolean") return;
  throw farmError("BAD_INPUT", `The ${what} must be true or false, not ${shown(value)}.`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 40);
}
