import { isInitiator } from "./addresses.ts";
import { crcOverByte } from "./crc.ts";
import { ebusError } from "../ebus-errors.ts";
import { ESC, MAX_DATA_SENT, pushEscaped, SYN } from "./symbols.ts";
import type { Command } from "./telegram.ts";

/** QQ ZZ PB SB NN D1..Dn CRC as it goes over the wire. */
export function encodeCommand(command: Command): Uint8Array {
  const { source, target, primary, secondary, data } = command;
  if (!isInitiator(source)) throw ebusError("INVALID_ARGUMENT", `Source ${source} is not an initiator address`);
  if (!isByte(target) || target === ESC || target === SYN || target === source)
    throw ebusError("INVALID_ARGUMENT", `Target ${target} cannot be addressed from ${source}`);
  if (!isByte(primary) || !isByte(secondary))
    throw ebusError("INVALID_ARGUMENT", `Command bytes ${primary} and ${secondary} must be from 0 to 255`);
  return sealed([source, target, primary, secondary, ...sized(data)]);
}

/** NN D1..Dm CRC as a target sends it. */
export function encodeResponse(data: Uint8Array): Uint8Array {
  return sealed(sized(data));
}

function sized(data: Uint8Array): number[] {
  if (data.length > MAX_DATA_SENT)
    throw ebusError(
      "INVALID_ARGUMENT",
      `${data.length} data bytes do not fit into a telegram; at most ${MAX_DATA_SENT} do`,
    );
  return [data.length, ...data];
}

function sealed(bytes: readonly number[]): Uint8Array {
  const wire: number[] = [];
  let crc = 0;
  for (const byte of bytes) {
    pushEscaped(wire, byte);
    crc = crcOverByte(crc, byte);
  }
  // The checksum is escaped like data, but is not part of what it covers.
  pushEscaped(wire, crc);
  return Uint8Array.from(wire);
}

function isByte(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 0xff;
}
