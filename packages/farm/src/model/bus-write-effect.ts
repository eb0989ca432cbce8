import {
  millis,
  receiptJson,
  seconds,
  SteadingError,
  type AskedEffect,
  type Door,
  type Json,
  type JsonObject,
  type Outcome,
  type Reception,
} from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Bus } from "../modbus/bus.ts";
import { isLongJob } from "../modbus/modbus-exception.ts";
import type { ModbusRequest, ReadFunction } from "../modbus/modbus-request.ts";
import type { Field } from "./field.ts";
import type { Equipment } from "./rows.ts";

/** The name under which the door finds back to what was written. */
const WRITE_OBSERVER = "farm.modbus-write";

const SEND_DEADLINE = seconds(6);
const LOOK_DEADLINE = seconds(2);

export type BusPlace = Pick<Equipment, "address" | "transport">;
export type ModbusWrite = Extract<
  ModbusRequest,
  { readonly kind: "write-coil" | "write-coils" | "write-register" | "write-registers" }
>;

/** A write of registers or coils that is no relay switch: named by an admin, or the setpoint of a device. */
export function busWriteEffect(
  {
    place,
    write,
    target,
    arguments: given,
    summary,
  }: {
    readonly place: BusPlace;
    readonly write: ModbusWrite;
    /** What has one lane: the equipment it belongs to, or the unit by itself. */
    readonly target: string;
    readonly arguments: JsonObject;
    readonly summary: string;
  },
  { field }: { readonly field: Field },
): AskedEffect {
  const values = writtenValues(write);
  // Only coils that go off are known to be harmless; what a register means, nobody here can tell.
  const isSafe = values.every((value) => value === false);
  const priority = isSafe ? "safety" : "command";
  const { unit, address } = write;
  return {
    arguments: given,
    target,
    toward: isSafe ? "safe" : "live",
    summary,
    observer: WRITE_OBSERVER,
    observeWith: {
      address: place.address,
      transport: place.transport,
      unit,
      fc: readsBack(write),
      register: address,
      values,
    },
    drive: {
      async send(wire, signal) {
        try {
          await busAt(field, place).ask(write, { priority, signal, firstByte: () => wire.firstByte() });
          return { echoed: unit !== 0 };
        } catch (error) {
          // It took the write and is at it; what can be read back decides.
          if (error instanceof SteadingError && isLongJob(error)) return { echoed: false };
          throw error;
        }
      },
    },
    sendDeadline: SEND_DEADLINE,
    // Nobody answers a broadcast, so nobody can be asked what became of it.
    observeDeadline: unit === 0 ? millis(0) : LOOK_DEADLINE,
  };
}

export function registerWriteObserver({
  door,
  field,
  reception,
}: {
  readonly door: Pick<Door, "registerObserver">;
  readonly field: Field;
  readonly reception: Reception;
}): void {
  door.registerObserver(WRITE_OBSERVER, ({ address, transport, unit, fc, register, values }) => ({
    async read(signal) {
      // Written above, and nowhere else.
      const place = { address, transport } as BusPlace;
      const wanted = values as readonly Json[];
      const bus = busAt(field, place);
      const request = {
        kind: "read",
        unit: unit as number,
        fc: fc as ReadFunction,
        address: register as number,
      } as const;
      const reply = await bus.ask({ ...request, quantity: wanted.length }, { priority: "command", signal });
      return reception.received(
        reply.kind === "bits" ? [...reply.bits] : reply.kind === "words" ? [...reply.words] : [],
      );
    },
    satisfies: (seen) => JSON.stringify(seen) === JSON.stringify(values),
  }));
}

/** Throws unless the device took it. Whether it can be read back as well is another matter: not every register can. */
export function checkWritten({ receipt, acknowledgement, error }: Outcome, what: string): void {
  if (acknowledgement !== undefined) return;
  const details = { receipt: receiptJson(receipt) };
  const { code, message = "it was not taken." } = error ?? {};
  if (code === "DEVICE_TIMEOUT" || code === "TIMEOUT") {
    throw farmError("DEVICE_TIMEOUT", `${what} did not answer; what became of the write is not known.`, { details });
  }
  if (code === "GATEWAY_DOWN" || code === "DEVICE_EXCEPTION") throw farmError(code, `${what}: ${message}`, { details });
  throw farmError("DEVICE_UNCONFIRMED", `${what}: what became of the write is not known.`, { details });
}

export function busAt(field: Pick<Field, "reach">, place: BusPlace): Bus {
  const bus = field.reach(place);
  if (!bus) throw farmError("BAD_INPUT", `${place.address ?? "nothing"} is not the address of a gateway.`);
  return bus;
}

function writtenValues(write: ModbusWrite): (boolean | number)[] {
  switch (write.kind) {
    case "write-coil":
      return [write.on];
    case "write-coils":
      return [...write.states];
    case "write-register":
      return [write.value];
    case "write-registers":
      return [...write.values];
  }
}

function readsBack({ kind }: ModbusWrite): ReadFunction {
  return kind === "write-coil" || kind === "write-coils" ? 1 : 3;
}
