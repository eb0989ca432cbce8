import { millis, SteadingError, type Json } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import { isRefusal } from "../modbus/modbus-exception.ts";
import type { ModbusRequest } from "../modbus/modbus-request.ts";
import type { Field } from "./field.ts";
import type { Equipment } from "./rows.ts";

/** A board that never answers gets this long to take a command. */
const WRITE_ONLY_WAIT = millis(1_500);

export interface CoilWrite {
  readonly equipment: Equipment;
  readonly request: ModbusRequest;
  /** Does anything go on? Then it waits for its turn on the board; what only goes off overtakes everything. */
  readonly live: boolean;
  readonly field: Field;
  readonly firstByte: () => void;
  readonly signal: AbortSignal;
  /** Reads back whether the coils are as they should be. */
  readonly isDone: () => Promise<boolean>;
  /** For a board that never answers: what was sent is all there is. */
  readonly assume: () => void;
}

/**
 * Writes, reads back, and writes once more when the coils say otherwise. Silence after a write decides nothing: the
 * read-back does. What it shows is looked at once more by the door, which alone can call it observed.
 */
export async function driveCoils(order: CoilWrite): Promise<Json> {
  let echoed = await write(order);
  if (order.equipment.write_only) {
    order.assume();
    return { echoed };
  }
  // From here on a write is out that the board did not refuse. Whatever it says no to next, that one may have worked.
  if (await decidesNothing(order.isDone)) return { echoed };
  echoed = await decidesNothing(() => write(order));
  return { echoed, rewritten: true };
}

async function decidesNothing(step: () => Promise<boolean>): Promise<boolean> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof SteadingError) || !isRefusal(error)) throw error;
    throw farmError("DEVICE_UNCONFIRMED", `The write was taken, but what became of it is not known: ${error.message}`, {
      cause: error,
    });
  }
}

/** True when the board echoed the write; false when it did not, and nobody can tell yet what became of it. Throws when it refused. */
async function write({ equipment, request, live, field, firstByte, signal }: CoilWrite): Promise<boolean> {
  const bus = field.busOf(equipment);
  if (!bus) throw farmError("NOT_SWITCHABLE", `Equipment ${equipment.id} has no bus.`);
  let left = false;
  if (live) await field.stagger(equipment.id, signal);
  try {
    await bus.ask(request, {
      priority: live ? "command" : "safety",
      signal,
      ...(equipment.write_only ? { timeout: WRITE_ONLY_WAIT } : {}),
      firstByte: () => {
        firstByte();
        left = true;
      },
    });
    return true;
  } catch (error) {
    // Only a clear no says that nothing happened. A long job is a yes, and a silent unit may have heard.
    const refused = error instanceof SteadingError && isRefusal(error);
    if (left && !refused && !signal.aborted) return false;
    throw error;
  }
}
