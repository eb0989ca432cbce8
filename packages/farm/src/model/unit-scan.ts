import { millis, SteadingError, type Clock, type JsonObject } from "@steading/kernel";
import type { Bus } from "../modbus/bus.ts";
import { busAt } from "./bus-write-effect.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { Field } from "./field.ts";
import { registeredAt } from "./registered-at.ts";

export interface UnitScanRequest {
  readonly host: string;
  readonly port: number;
  readonly transport: "tcp" | "rtu_over_tcp";
  readonly first: number;
  readonly last: number;
  readonly timeoutMs: number;
  readonly batchSize: number;
}

/**
 * Asks one unit after another who is there, behind everything else that wants the bus: a search may not delay a switch
 * by more than the one question that is on its way.
 */
export async function scanUnits(
  { host, port, transport, first, last, timeoutMs, batchSize }: UnitScanRequest,
  {
    book,
    field,
    clock,
    signal,
  }: { readonly book: EquipmentBook; readonly field: Field; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<JsonObject> {
  const place = { address: `${host}:${port}`, transport };
  const began = clock.monotonic();
  const discovered: JsonObject[] = [];
  let asked = 0;
  for (let unit = first; unit <= last && !signal.aborted; unit += 1) {
    asked += 1;
    // Asked for again each time, so that it does not count as idle while a long search goes on.
    const found = await ask(busAt(field, place), unit, { timeoutMs, signal });
    if (!found) continue;
    const equipment = registeredAt(book, { host, port, unit }).map(({ id }) => id);
    discovered.push({ slave_id: unit, ...found, existing: equipment.length > 0, equipment });
  }
  return {
    message: `${discovered.length} units found`,
    discovered,
    totalFound: discovered.length,
    existingDevicesFound: discovered.filter(({ existing }) => existing).length,
    scanInfo: {
      host,
      port,
      startSlaveId: first,
      endSlaveId: last,
      timeout: timeoutMs,
      batchSize,
      asked,
      duration_ms: Math.round(clock.monotonic() - began),
    },
  };
}

/** Undefined: nobody is there. A gateway that is gone is no unit's silence, so that is thrown. */
async function ask(
  bus: Bus,
  unit: number,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<JsonObject | undefined> {
  const options = { priority: "poll", timeout: millis(timeoutMs), retries: 0, signal } as const;
  try {
    await bus.ask({ kind: "read", unit, fc: 3, address: 0, quantity: 1 }, options);
  } catch (error) {
    if (!(error instanceof SteadingError) || error.code === "GATEWAY_DOWN" || error.code === "CANCELLED") throw error;
    // A refusal is an answer, too, and so is one that the line has damaged.
    if (error.code === "DEVICE_TIMEOUT") return undefined;
  }
  try {
    const reply = await bus.ask({ kind: "identify", unit }, options);
    return reply.kind === "identification" ? { identification: { ...reply.objects } } : {};
  } catch {
    return { identification: null }; // most devices cannot tell who they are
  }
}
