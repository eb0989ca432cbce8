import type { SteadingError } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";

const MEANINGS: Readonly<Record<number, string>> = {
  0x01: "it does not know the function",
  0x02: "it has no such address",
  0x03: "it does not take the value",
  0x04: "it failed inside",
  0x05: "it has begun a long job",
  0x06: "it is busy",
  0x08: "its memory has a parity error",
  0x0a: "the gateway has no path to it",
  0x0b: "it did not answer the gateway",
};

/** It took the job and needs longer for it than an answer may take. */
const LONG_JOB = 0x05;

/** The unit said no, or not yet. 0A and 0B come from the gateway and say that the unit itself is silent. */
export function modbusException(unit: number, code: number): SteadingError {
  const meaning = MEANINGS[code] ?? `it gave the unknown reason ${code}`;
  const details = { unit, exception: code };
  if (code === 0x0a || code === 0x0b) {
    return farmError("DEVICE_TIMEOUT", `Unit ${unit} cannot be reached: ${meaning}.`, { details });
  }
  if (code === LONG_JOB) return farmError("DEVICE_EXCEPTION", `Unit ${unit} is not ready: ${meaning}.`, { details });
  return farmError("DEVICE_EXCEPTION", `Unit ${unit} refused: ${meaning}.`, { details: { ...details, refused: true } });
}

/** A clear no: what was asked for has not happened. */
export function isRefusal({ details }: SteadingError): boolean {
  return details?.["refused"] === true;
}

/** What was asked for is under way, though it has not been answered. */
export function isLongJob({ details }: SteadingError): boolean {
  return details?.["exception"] === LONG_JOB;
}

/** Busy, or working on it: the same question may be answered in a moment. */
export function isBusyException({ code, details }: SteadingError): boolean {
  const exception = details?.["exception"];
  return code === "DEVICE_EXCEPTION" && (exception === LONG_JOB || exception === 0x06);
}
