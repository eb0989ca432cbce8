import type { Clock } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { OpenConnection } from "./connection.ts";
import { callFunction, createModbusClient } from "./modbus-codec.ts";
import type { ModbusReply, ModbusRequest } from "./modbus-request.ts";
import type { SerialAddress } from "./serial-address.ts";

/**
 * A serial line, opened by the library together with the system's serial interface. Its port finds frames by unit,
 * function and CRC; what it cannot tell apart, a unit's late answer, the line ends the connection for.
 */
export function openSerial({
  address,
  clock,
}: {
  readonly address: SerialAddress;
  readonly clock: Clock;
}): OpenConnection {
  return async (told, signal) => {
    const client = createModbusClient();
    const { path, ...settings } = address;
    await client.connectRTUBuffered(path, settings);
    const close = (): void => client.close(() => {});
    if (signal.aborted) {
      close();
      signal.throwIfAborted();
    }
    let fail: ((error: Error) => void) | undefined;
    let over = false;
    const ended = new Promise<void>((resolve) => {
      const end = (cause?: unknown): void => {
        over = true;
        fail?.(farmError("GATEWAY_DOWN", "The serial line was closed.", { cause, details: { midway: true } }));
        resolve();
      };
      client.on("close", () => end());
      client.on("error", end);
    });

    return {
      ended,
      close() {
        over = true;
        close();
      },
      async exchange(request, { timeout, signal: given, firstByte }) {
        if (over) throw farmError("GATEWAY_DOWN", "The serial line is closed.");
        given?.throwIfAborted();
        const failed = new Promise<never>((_, reject) => (fail = reject));
        const silent = farmError("DEVICE_TIMEOUT", `Unit ${request.unit} did not answer in time.`, {
          details: { unit: request.unit },
        });
        const cancel = clock.timer(timeout, () => fail?.(silent));
        const abort = (): void => fail?.(farmError("CANCELLED", "The exchange was given up."));
        given?.addEventListener("abort", abort, { once: true });
        try {
          firstByte?.();
          told.sent(frameBytes(request));
          const asked: Promise<ModbusReply> = callFunction(client, request);
          if (request.unit === 0) {
            asked.catch(() => {}); // nobody answers a broadcast
            return { kind: "written" };
          }
          return await Promise.race([asked, failed]);
        } finally {
          cancel();
          given?.removeEventListener("abort", abort);
          fail = undefined;
        }
      },
    };
  };
}

/** What the request weighs on the line, CRC included. */
function frameBytes(request: ModbusRequest): number {
  if (request.kind === "write-coils") return 9 + Math.ceil(request.states.length / 8);
  if (request.kind === "write-registers") return 9 + request.values.length * 2;
  return request.kind === "identify" ? 7 : 8;
}
