import { EventEmitter } from "node:events";
import modbusSerial from "modbus-serial";
import { farmError } from "../farm-errors.ts";
import { modbusException } from "./modbus-exception.ts";
import type { ModbusReply, ModbusRequest } from "./modbus-request.ts";

// A CommonJS module whose types say `export default`: under Node's own resolution that is a member of the import.
const { default: ModbusRTU } = modbusSerial;
export type ModbusClient = InstanceType<typeof ModbusRTU>;

/** A client of the library without a port. */
export function createModbusClient(): ModbusClient {
  return new ModbusRTU();
}

/** Builds requests and reads answers, one at a time. Where the bytes go is the caller's business. */
export interface ModbusCodec {
  /**
   * Hands the request's frame (`unit | PDU | CRC`) to `send` before it returns; resolves when `answer` was given a frame.
   * A broadcast resolves at once: nobody answers it.
   */
  ask(request: ModbusRequest): Promise<ModbusReply>;
  /** Gives the frame that answers what was asked. */
  answer(frame: Buffer): void;
}

/** The protocol's functions come from modbus-serial; connections, framing and time are ours, so the port is too. */
export function createModbusCodec({ send }: { readonly send: (frame: Buffer) => void }): ModbusCodec {
  const port = Object.assign(new EventEmitter(), {
    isOpen: true,
    open: (done: (error?: Error) => void) => done(),
    write: send,
  });
  const client = new ModbusRTU(port);
  client.open();

  return {
    async ask(request) {
      const reply = callFunction(client, request);
      if (request.unit !== 0) return reply;
      reply.catch(() => {}); // a broadcast has no answer to fail with
      return { kind: "written" };
    },
    answer: (frame) => void port.emit("data", frame),
  };
}

/** Asks with the library's functions, and tells its failures in our words. */
export function callFunction(client: ModbusClient, request: ModbusRequest): Promise<ModbusReply> {
  return new Promise((resolve, reject) => {
    const { unit } = request;
    /** Turns the library's callback into an answer; what the echo of a write must repeat is checked by `echoed`. */
    const then =
      <T>(read: (result: T) => ModbusReply) =>
      (error: unknown, result: T): void => {
        if (error) return reject(failure(error, unit));
        try {
          resolve(read(result));
        } catch (problem) {
          reject(problem instanceof Error ? problem : new Error(String(problem)));
        }
      };
    const echoed = (same: boolean): ModbusReply => {
      if (same) return { kind: "written" };
      throw farmError("DEVICE_GARBLED", `Unit ${unit} echoed another write than the one it was sent.`);
    };
    switch (request.kind) {
      case "read": {
        const { fc, address, quantity } = request;
        const bits = then<{ data: boolean[] }>(({ data }) => ({ kind: "bits", bits: data.slice(0, quantity) }));
        const words = then<{ data: number[] }>(({ data }) => ({ kind: "words", words: data }));
        if (fc === 1) return client.writeFC1(unit, address, quantity, bits);
        if (fc === 2) return client.writeFC2(unit, address, quantity, bits);
        if (fc === 3) return client.writeFC3(unit, address, quantity, words);
        return client.writeFC4(unit, address, quantity, words);
      }
      case "write-coil": {
        const { address, on } = request;
        return client.writeFC5(
          unit,
          address,
          on,
          then<{ address: number; state: boolean }>((echo) => echoed(echo.address === address && echo.state === on)),
        );
      }
      case "coil-command": {
        const { address, value } = request;
        const data = [address >>> 8, address & 0xff, value >>> 8, value & 0xff];
        // The library's own FC 05 knows on and off only; it reads the echo of this one as that of a coil.
        const heard = then<{ address: number }>((echo) => echoed(echo.address === address));
        return client.writeCustomFC(unit, 5, data, heard as never);
      }
      case "write-register": {
        const { address, value } = request;
        return client.writeFC6(
          unit,
          address,
          value,
          then<{ address: number; value: number }>((echo) => echoed(echo.address === address && echo.value === value)),
        );
      }
      case "write-coils": {
        const { address, states } = request;
        return client.writeFC15(
          unit,
          address,
          [...states],
          then<Span>((echo) => echoed(echo.address === address && echo.length === states.length)),
        );
      }
      case "write-registers": {
        const { address, values } = request;
        return client.writeFC16(
          unit,
          address,
          [...values],
          then<Span>((echo) => echoed(echo.address === address && echo.length === values.length)),
        );
      }
      case "identify": {
        client.setID(unit);
        const identified = then<{ data: Record<string, string> }>(({ data }) => ({
          kind: "identification",
          objects: { ...data },
        }));
        client.readDeviceIdentification(1, 0).then(
          // The library's type says array; what it gives is an object by object id.
          (result) => identified(undefined, result as unknown as { data: Record<string, string> }),
          (error: unknown) => identified(error ?? new Error("unknown"), { data: {} }),
        );
      }
    }
  });
}

interface Span {
  readonly address: number;
  readonly length: number;
}

/** The library tells exceptions by a number on its error, and everything else by a sentence about the frame. */
function failure(error: unknown, unit: number): Error {
  const code = typeof error === "object" && error !== null && "modbusCode" in error ? error.modbusCode : undefined;
  if (typeof code === "number") return modbusException(unit, code);
  return farmError("DEVICE_GARBLED", `Unit ${unit} sent an answer that does not fit the question.`, { cause: error });
}
