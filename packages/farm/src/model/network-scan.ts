import { millis, type Clock, type JsonObject } from "@steading/kernel";
import type { GatewayAddress } from "../modbus/gateway-address.ts";
import type { Dial } from "../modbus/wire.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import { registeredAt } from "./registered-at.ts";
import { readSubnet } from "./subnet.ts";

export interface NetworkScanRequest {
  readonly subnet?: string | undefined;
  readonly ports: readonly number[];
  readonly timeoutMs: number;
  readonly kind: "network" | "quick";
}

/** Connections that are tried at one time. */
const AT_ONCE = 50;
/** Where gateways and boards are by their makers' defaults, and by habit. */
const LIKELY = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 50, 100, 101, 102, 110, 150, 200, 201, 250, 254];

/** Looks who listens on one subnet. Only connects: a byte to somebody who is no gateway could mean anything to them. */
export async function scanNetwork(
  { subnet: given, ports, timeoutMs, kind }: NetworkScanRequest,
  {
    book,
    dial,
    clock,
    signal,
  }: {
    readonly book: EquipmentBook;
    readonly dial: (address: GatewayAddress) => Dial;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<JsonObject> {
  const subnet = readSubnet(given);
  const hosts = kind === "quick" ? LIKELY : Array.from({ length: 254 }, (_, i) => i + 1);
  const places = hosts.flatMap((last) => ports.map((port) => ({ host: `${subnet}.${last}`, port })));
  const began = clock.monotonic();
  const waiting = places.values();
  const found: GatewayAddress[] = [];

  async function work(): Promise<void> {
    for (const place of waiting) {
      if (signal.aborted) return;
      // Many gateways take one connection only, and that one is ours already.
      if (registeredAt(book, place).length > 0 || (await listens(place))) found.push(place);
    }
  }

  async function listens(place: GatewayAddress): Promise<boolean> {
    const giveUp = new AbortController();
    const cancel = clock.timer(millis(timeoutMs), () => giveUp.abort());
    try {
      const wire = await dial(place)(AbortSignal.any([giveUp.signal, signal]));
      wire.onEnd(() => {});
      wire.close();
      return true;
    } catch {
      return false; // nobody there, which is what most of them are
    } finally {
      cancel();
    }
  }

  await Promise.all(Array.from({ length: Math.min(AT_ONCE, places.length) }, work));
  const order = new Map(places.map((place, i) => [place, i]));
  const discovered = found
    .toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    .map(({ host, port }) => {
      const equipment = registeredAt(book, { host, port }).map(({ id }) => id);
      const existing = equipment.length > 0;
      return { host, port, address: `${host}:${port}`, protocol: "modbus", existing, equipment };
    });
  const existingDevicesFound = discovered.filter(({ existing }) => existing).length;
  return {
    message: `${discovered.length} found`,
    discovered,
    existingDevicesFound,
    scanInfo: {
      subnet: `${subnet}.0/24`,
      ports,
      timeout: timeoutMs,
      scanType: kind,
      probes: places.length,
      atOnce: AT_ONCE,
      duration_ms: Math.round(clock.monotonic() - began),
    },
    totalFound: discovered.length,
  };
}
