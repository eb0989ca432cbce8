import type { SteadingError } from "@steading/kernel";
import { ebusError } from "../ebus-errors.ts";

/**
 * How a field's bytes are read and written. A replacement value is `null`, never a number. Encoding rounds to what the
 * wire can carry; whoever publishes it decodes the bytes again, so that what is shown is what was sent.
 */
export interface DataType<T> {
  readonly name: string;
  readonly bytes: number;
  /** `raw` has exactly `bytes` bytes. Throws PROTOCOL_ERROR when they mean nothing in this type. */
  decode(raw: Uint8Array): T | null;
  /** Throws INVALID_ARGUMENT for what the type cannot hold. */
  encode(value: T | null): Uint8Array;
}

export function invalid(type: string, raw: Uint8Array): SteadingError {
  return ebusError("PROTOCOL_ERROR", `The bytes ${hexText(raw)} are not a ${type}`);
}

export function notRepresentable(type: string, value: unknown): SteadingError {
  return ebusError("INVALID_ARGUMENT", `${String(value)} cannot be written as ${type}`);
}

export function hexText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex").toUpperCase();
}
