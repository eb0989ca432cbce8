import type { Clock, Duration } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Framing } from "./framing.ts";
import { createModbusCodec } from "./modbus-codec.ts";
import type { ModbusReply, ModbusRequest } from "./modbus-request.ts";
import type { Dial, Wire } from "./wire.ts";

export interface ExchangeOptions {
  readonly timeout: Duration;
  readonly signal?: AbortSignal | undefined;
  /** Called right before the first byte leaves; throws to hold it back. */
  readonly firstByte?: (() => void) | undefined;
}

/** What the connection tells about its traffic. */
export interface ConnectionTold {
  sent(bytes: number): void;
  /** A whole frame that answers nothing we asked. */
  foreign(): void;
  garbled(): void;
}

/** One connection, one request in flight. */
export interface Connection {
  /** DEVICE_TIMEOUT when nothing came in time, DEVICE_GARBLED when it came damaged, GATEWAY_DOWN when the connection ended. */
  exchange(request: ModbusRequest, options: ExchangeOptions): Promise<ModbusReply>;
  close(): void;
  /** Resolves when it is over. */
  readonly ended: Promise<void>;
}

/** Makes a connection. Rejects when that fails or the signal aborts, and leaves nothing open then. */
export type OpenConnection = (told: ConnectionTold, signal: AbortSignal) => Promise<Connection>;

/**
 * An answer has 260 bytes at most; this is more than a busy serial line carries within a second. Whoever sends more is
 * not answering, and to look at all of it would take the time that other gateways need.
 */
const MOST_HEARD = 16 * 1024;

/** A connection over a wire, each with a framing of its own. */
export function openWire({
  dial,
  framing,
  clock,
}: {
  readonly dial: Dial;
  readonly framing: () => Framing;
  readonly clock: Clock;
}): OpenConnection {
  return async (told, signal) => createConnection({ wire: await dial(signal), framing: framing(), clock, told });
}

function createConnection({
  wire,
  framing,
  clock,
  told,
}: {
  readonly wire: Wire;
  readonly framing: Framing;
  readonly clock: Clock;
  readonly told: ConnectionTold;
}): Connection {
  /** Ends the exchange that is under way. */
  let fail: ((error: Error) => void) | undefined;
  let beforeSending: (() => void) | undefined;
  let over = false;
  /** Bytes since the last question began or ended. */
  let heard = 0;

  const codec = createModbusCodec({
    send(frame) {
      beforeSending?.();
      beforeSending = undefined;
      const bytes = framing.open(frame);
      told.sent(bytes.length);
      wire.write(bytes);
    },
  });

  wire.onPiece((piece) => {
    if (over) return;
    heard += piece.length;
    if (heard > MOST_HEARD) {
      told.garbled();
      return wire.close();
    }
    for (const arrived of framing.push(piece)) {
      switch (arrived.kind) {
        case "reply":
          codec.answer(arrived.frame);
          break;
        case "foreign":
          told.foreign();
          break;
        case "garbled":
          told.garbled();
          fail?.(farmError("DEVICE_GARBLED", "The answer came damaged."));
          break;
        case "lost":
          told.garbled();
          wire.close();
      }
    }
  });
  const ended = new Promise<void>((resolve) => {
    wire.onEnd((cause) => {
      over = true;
      fail?.(farmError("GATEWAY_DOWN", "The connection to the gateway ended.", { cause, details: { midway: true } }));
      resolve();
    });
  });

  return {
    ended,
    close: () => wire.close(),
    async exchange(request, { timeout, signal, firstByte }) {
      if (over) throw farmError("GATEWAY_DOWN", "The connection to the gateway has ended.");
      if (fail) throw new Error("Two exchanges on one connection.");
      signal?.throwIfAborted();
      const failed = new Promise<never>((_, reject) => (fail = reject));
      beforeSending = firstByte;
      heard = 0;
      const cancel = clock.timer(timeout, () => fail?.(silent(request.unit)));
      const abort = (): void => fail?.(farmError("CANCELLED", "The exchange was given up.", { cause: signal?.reason }));
      signal?.addEventListener("abort", abort, { once: true });
      try {
        return await Promise.race([codec.ask(request), failed]);
      } finally {
        cancel();
        signal?.removeEventListener("abort", abort);
        fail = undefined;
        beforeSending = undefined;
        heard = 0;
        framing.close();
      }
    },
  };
}

function silent(unit: number): Error {
  return farmError("DEVICE_TIMEOUT", `Unit ${unit} did not answer in time.`, { details: { unit } });
}
