import { receiptJson, type JsonObject } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Bus } from "../modbus/bus.ts";
import { gatewayKey } from "../modbus/gateway-address.ts";
import type { ReadFunction } from "../modbus/modbus-request.ts";
import { busAt, busWriteEffect, checkWritten, type BusPlace, type ModbusWrite } from "./bus-write-effect.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { Field } from "./field.ts";
import { registeredAt } from "./registered-at.ts";
import type { Perform } from "./relay-control.ts";

export interface DirectPlace {
  readonly host: string;
  readonly port: number;
  readonly unitId: number;
  readonly transport: "tcp" | "rtu_over_tcp";
}

/** Modbus by hand, for whoever puts a device into service. It shares each gateway's bus with everything else. */
export interface DirectModbus {
  /** Goes behind whatever switches; at most four at a time for each gateway, then BUS_BUSY. */
  read(
    place: DirectPlace,
    asked: { readonly fc: ReadFunction; readonly address: number; readonly quantity: number },
    signal: AbortSignal,
  ): Promise<readonly (boolean | number)[]>;
  /** Refused for a unit that equipment is registered on, unless `force`: its own calls know its rules, this one does not. */
  write(
    place: DirectPlace,
    write: ModbusWrite,
    options: { readonly force: boolean; readonly perform: Perform },
  ): Promise<JsonObject>;
}

/** For each gateway: one who tries things out waits for answers, and a unit that is dead takes seconds for each. */
const MOST_READS = 4;

export function createDirectModbus({
  book,
  field,
}: {
  readonly book: EquipmentBook;
  readonly field: Field;
}): DirectModbus {
  /** How many are under way or wait; only buses that have any. */
  const reads = new Map<Bus, number>();

  async function inTurn<T>(bus: Bus, ask: () => Promise<T>): Promise<T> {
    const others = reads.get(bus) ?? 0;
    if (others >= MOST_READS) throw farmError("BUS_BUSY", `${others} reads by hand wait for this gateway already.`);
    reads.set(bus, others + 1);
    try {
      return await ask();
    } finally {
      const left = (reads.get(bus) ?? 1) - 1;
      if (left > 0) reads.set(bus, left);
      else reads.delete(bus);
    }
  }

  return {
    async read(place, { fc, address, quantity }, signal) {
      const request = { kind: "read", unit: place.unitId, fc, address, quantity } as const;
      const bus = busAt(field, busPlace(place));
      const reply = await inTurn(bus, () => bus.ask(request, { priority: "poll", signal }));
      return reply.kind === "bits" ? reply.bits : reply.kind === "words" ? reply.words : [];
    },
    async write(place, write, { force, perform }) {
      const { host, port, unitId } = place;
      const owners = registeredAt(book, { host, port, unit: unitId });
      if (owners.length > 0 && !force) {
        const ids = owners.map(({ id }) => id);
        throw farmError(
          "UNIT_IS_REGISTERED",
          `Unit ${unitId} of ${host}:${port} belongs to equipment ${ids.join(", ")}.`,
          { details: { equipment: ids } },
        );
      }
      const owner = owners[0];
      const effect = busWriteEffect(
        {
          place: busPlace(place),
          write,
          target: owner ? `farm.equipment:${owner.id}` : `farm.modbus:${gatewayKey({ host, port })}:${unitId}`,
          arguments: { host, port, unit_id: unitId, ...(write as unknown as JsonObject), force }, // plain values
          summary: `Write by hand to unit ${unitId} of ${host}:${port}, from address ${write.address}.`,
        },
        { field },
      );
      const outcome = await perform({ ...effect, minimumRole: "admin" });
      checkWritten(outcome, `Unit ${unitId} of ${host}:${port}`);
      return { confirmed: outcome.receipt.stage === "observed", receipt: receiptJson(outcome.receipt) };
    },
  };
}

function busPlace({ host, port, transport }: DirectPlace): BusPlace {
  return { address: `${host}:${port}`, transport };
}
