import { seconds, type AskedEffect, type JsonObject, type Json, type Observe, type Reception } from "@steading/kernel";
import type { Command } from "../wire/telegram.ts";
import type { ExchangeResult } from "./exchange-result.ts";
import { errorOf } from "./result-error.ts";

export type Telegraph = Omit<Command, "source">;

/** What a write to a device is, and how to see that it came about. */
export interface BusWrite {
  readonly command: Telegraph;
  /** Asks for what the command should have changed. */
  readonly readBack: Telegraph;
  /** The response of the read-back as a value; throws when it is no answer to that question. */
  decode(response: Uint8Array): Json;
  satisfies(value: Json): boolean;
  /** One line in our own words. */
  readonly summary: string;
  readonly arguments: JsonObject;
  readonly observer: string;
  readonly observeWith: JsonObject;
  readonly before?: Json;
}

/** How a write reaches the wire; only the door's lane calls it. */
export interface WriteWire {
  send(command: Telegraph, options: { readonly signal: AbortSignal; firstByte(): void }): Promise<ExchangeResult>;
  readFresh(command: Telegraph, signal: AbortSignal): Promise<ExchangeResult>;
}

/**
 * A write as the door takes it. All of one bus share a lane, so there is one writer at a time; what was sent is never
 * sent again by itself, and only a reading that came after the acknowledgement makes it observed.
 */
export function createWriteEffect({
  lane,
  wire,
  reception,
  write,
}: {
  readonly lane: string;
  readonly wire: WriteWire;
  readonly reception: Reception;
  readonly write: BusWrite;
}): { readonly effect: AskedEffect; readonly observe: Observe } {
  const { command, readBack, summary } = write;
  const observe: Observe = {
    async read(signal) {
      const result = await wire.readFresh(readBack, signal);
      if (result.outcome !== "success" || result.response === undefined) throw errorOf(result, "Reading back");
      return reception.received(write.decode(result.response));
    },
    satisfies: (value) => write.satisfies(value),
  };
  const effect: AskedEffect = {
    arguments: write.arguments,
    target: lane,
    toward: "live",
    summary,
    observer: write.observer,
    observeWith: write.observeWith,
    sendDeadline: seconds(10),
    ...(write.before !== undefined && { before: write.before }),
    drive: {
      async send({ firstByte }, signal) {
        const result = await wire.send(command, { signal, firstByte });
        if (result.outcome !== "success") throw errorOf(result, "Writing");
        return result.response === undefined ? null : Buffer.from(result.response).toString("hex");
      },
    },
  };
  return { effect, observe };
}
