import { millis, type Clock } from "@steading/kernel";
import type { BusRead } from "../bus/create-bus.ts";
import type { ExchangeReason, ExchangeResult } from "../bus/exchange-result.ts";
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
  /** The bus was not to be had, or every question went wrong on the way: somebody may be there. */
  readonly undecided: readonly number[];
}

/** Every address a device can answer at. */
export function allTargets(): readonly number[] {
  return Array.from({ length: 256 }, (_, address) => address).filter(isTarget);
}

/** What says nothing about the device: the question, the answer or the link was spoilt. */
const SPOILT: ReadonlySet<ExchangeReason> = new Set([
  "arbitration",
  "deadline",
  "no_echo",
  "echo",
  "ack_position",
  "response_crc",
  "response_garbled",
  "adapter_reset",
  "disconnected",
  "withdrawn",
]);

function spoilt({ outcome, reason, transmissions, acknowledged, response }: ExchangeResult): boolean {
  if (transmissions === 0 || SPOILT.has(reason)) return true;
  // A daemon gives no reasons, only outcomes. And whoever takes a question is there, whatever became of the answer.
  return outcome === "echo_mismatch" || outcome === "crc_mismatch" || (acknowledged && response === undefined);
}

/**
 * Asks each target who it is, one at a time and far enough apart that regulators are not disturbed. Targets that could
 * not be asked, whose exchange was spoilt, or that are known to answer and did not, get up to two more passes.
 */
export async function scan({
  read,
  clock,
  targets,
  signal,
  known = () => false,
  found = () => {},
  unanswered = () => {},
}: {
  readonly read: (request: BusRead) => Promise<ExchangeResult>;
  readonly clock: Clock;
  readonly targets: readonly number[];
  readonly signal: AbortSignal;
  /** Has this target ever answered anybody? */
  readonly known?: (target: number) => boolean;
  /** Called as soon as a device is known. */
  readonly found?: (device: FoundDevice) => void;
  /** Called as soon as an address counts as silent, so that a scan which is broken off was not in vain. */
  readonly unanswered?: (target: number) => void;
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

  /** The device is there, so silence is an accident too; only a refusal is its last word. */
  async function pieceOf(target: number, id: number): Promise<Uint8Array | undefined> {
    for (let attempt = 1; attempt <= PASSES; attempt += 1) {
      if (attempt > 1) await clock.sleep(APART, signal);
      const { outcome, reason, response } = await ask(target, 0xb5, 0x09, [id]);
      if (response !== undefined || (outcome === "nack" && reason !== "ack_position")) return response;
    }
    return undefined;
  }

  async function serialOf(target: number): Promise<string | undefined> {
    const chunks: Uint8Array[] = [];
    for (const id of SERIAL_ID) {
      const piece = await pieceOf(target, id);
      if (piece === undefined) return undefined;
      chunks.push(piece);
    }
    return readSerialNumber(chunks);
  }

  async function lookAt(target: number): Promise<"settled" | "spoilt" | "silent"> {
    const result = await ask(target, 0x07, 0x04, []);
    if (spoilt(result)) return "spoilt";
    const identity = result.response && readIdentification(result.response);
    if (!identity) return "silent";
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
      const verdict = await lookAt(target);
      if (verdict === "spoilt" || (verdict === "silent" && pass < PASSES && known(target))) again.push(target);
      else if (verdict === "silent") {
        silent.push(target);
        unanswered(target);
      }
      await clock.sleep(millis(Math.max(0, began + APART - clock.monotonic())), signal);
    }
    open = again;
  }
  return { found: devices, silent, undecided: open };
}
