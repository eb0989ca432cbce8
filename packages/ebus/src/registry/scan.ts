import { millis, type Clock } from "@steading/kernel";
import type { BusRead } from "../bus/create-bus.ts";
import type { ExchangeResult } from "../bus/exchange-result.ts";
import { ebusError } from "../ebus-errors.ts";
import { isTarget } from "../wire/addresses.ts";
import { readIdentification, readSerialNumber, type Identification } from "./identification.ts";

const APART = millis(100);
const BETWEEN_PASSES = millis(25);
const PASSES = 3;
const SERIAL_ID = [0x24, 0x25, 0x26, 0x27] as const;

export interface FoundDevice extends Identification {
  readonly address: number;
  readonly serial?: string;
}

export interface ScanReport {
  readonly found: readonly FoundDevice[];
  /** Asked, and nobody answered as a device does. */
  readonly silent: readonly number[];
  /** Never asked, because the bus was not to be had. */
  readonly unasked: readonly number[];
}

/** Every address a device can answer at. */
export function allTargets(): readonly number[] {
  return Array.from({ length: 256 }, (_, address) => address).filter(isTarget);
}

/**
 * Asks each target who it is, one at a time and far enough apart that regulators are not disturbed. Targets that could
 * not be asked, or whose answer was damaged, get up to two more passes.
 */
export async function scan({
  read,
  clock,
  targets,
  signal,
  found = () => {},
}: {
  readonly read: (request: BusRead) => Promise<ExchangeResult>;
  readonly clock: Clock;
  readonly targets: readonly number[];
  readonly signal: AbortSignal;
  /** Called as soon as a device is known. */
  readonly found?: (device: FoundDevice) => void;
}): Promise<ScanReport> {
  if (targets.length === 0)
    throw ebusError("INVALID_ARGUMENT", "A scan needs addresses; an empty list does not mean all of them.");
  const wrong = targets.find((target) => !isTarget(target));
  if (wrong !== undefined) throw ebusError("INVALID_ARGUMENT", `${wrong} is no address that a device answers at`);

  const devices: FoundDevice[] = [];
  const silent: number[] = [];
  let open = [...new Set(targets)];

  const ask = (target: number, primary: number, secondary: number, data: readonly number[]) =>
    read({ target, primary, secondary, data: Uint8Array.from(data), priority: "scan", signal });

  async function serialOf(target: number): Promise<string | undefined> {
    const chunks: Uint8Array[] = [];
    for (const id of SERIAL_ID) {
      const { response } = await ask(target, 0xb5, 0x09, [id]);
      if (response === undefined) return undefined;
      chunks.push(response);
    }
    return readSerialNumber(chunks);
  }

  async function lookAt(target: number): Promise<"settled" | "again"> {
    const result = await ask(target, 0x07, 0x04, []);
    const contested =
      result.transmissions === 0 || result.outcome === "echo_mismatch" || result.outcome === "crc_mismatch";
    if (contested) return "again";
    const identity = result.response && readIdentification(result.response);
    if (!identity) {
      silent.push(target);
      return "settled";
    }
    const serial = identity.manufacturer === "Vaillant" ? await serialOf(target) : undefined;
    const device = { address: target, ...identity, ...(serial !== undefined && { serial }) };
    devices.push(device);
    found(device);
    return "settled";
  }

  for (let pass = 1; pass <= PASSES && open.length > 0; pass += 1) {
    if (pass > 1) await clock.sleep(BETWEEN_PASSES, signal);
    const again: number[] = [];
    for (const target of open) {
      signal.throwIfAborted();
      const began = clock.monotonic();
      if ((await lookAt(target)) === "again") again.push(target);
      await clock.sleep(millis(Math.max(0, began + APART - clock.monotonic())), signal);
    }
    open = again;
  }
  return { found: devices, silent, unasked: open };
}
