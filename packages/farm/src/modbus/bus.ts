import { millis, seconds, SteadingError, type Clock, type Duration } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import { createBusQueue, type Priority, type Queued } from "./bus-queue.ts";
import type { Line, LineCounters, LineExchange } from "./line.ts";
import { isBusyException, isLongJob, isRefusal } from "./modbus-exception.ts";
import { checkRequest, type ModbusReply, type ModbusRequest } from "./modbus-request.ts";
import { createSilenceAccount } from "./silence-account.ts";

export interface AskOptions {
  readonly priority: Priority;
  /** Default: the bus's own. */
  readonly timeout?: Duration | undefined;
  /** The unit was silent last time: wait for it no longer than it has ever needed, with room to spare. */
  readonly probe?: boolean;
  /** Second tries after silence or a damaged answer. Default: one for a read, none for a write. */
  readonly retries?: number;
  readonly signal?: AbortSignal | undefined;
  readonly firstByte?: (() => void) | undefined;
}

export interface BusCounters extends LineCounters {
  readonly retries: number;
  readonly waiting: number;
}

/** All units behind one gateway: one request at a time, the urgent ones first. */
export interface Bus {
  ask(request: ModbusRequest, options: AskOptions): Promise<ModbusReply>;
  /** How long polling should leave a silent unit alone, so that the others keep their rate. */
  quietFor(unit: number): Duration;
  connected(): boolean;
  counters(): BusCounters;
  disconnect(): void;
  /** Drops what waits and ends the connection. A later request is refused. */
  close(): void;
}

/** A device that is busy gets this long, this often. */
const BUSY_PAUSE = millis(200);
const BUSY_TRIES = 3;

/** How many times its slowest answer a silent unit gets, and what is taken for that before it ever answered. */
const PROBE_ROOM = 4;
const UNKNOWN_ANSWER = millis(50);

const LEAST_TIMEOUT = millis(200);
const MOST_TIMEOUT = millis(5_000);
const DEFAULT_TIMEOUT = seconds(1);

export function createBus({
  line,
  clock,
  timeout = DEFAULT_TIMEOUT,
}: {
  readonly line: Line;
  readonly clock: Clock;
  readonly timeout?: Duration | undefined;
}): Bus {
  if (!(timeout >= LEAST_TIMEOUT && timeout <= MOST_TIMEOUT)) {
    throw farmError("BAD_INPUT", `The time-out must be from ${LEAST_TIMEOUT} to ${MOST_TIMEOUT} ms, not ${timeout}.`);
  }
  const queue = createBusQueue();
  const account = createSilenceAccount({
    monotonic: () => clock.monotonic(),
    allowance: millis(timeout + 2 * LEAST_TIMEOUT),
  });
  /** The longest that each unit took for an answer. At most 256 units exist. */
  const slowest = new Map<number, number>();
  let retried = 0;
  let closed = false;

  function probeTimeout(unit: number, most: Duration): Duration {
    return millis(Math.min(most, Math.max(LEAST_TIMEOUT, PROBE_ROOM * (slowest.get(unit) ?? UNKNOWN_ANSWER))));
  }

  async function exchange(request: ModbusRequest, options: LineExchange): Promise<ModbusReply> {
    const { unit } = request;
    const began = clock.monotonic();
    try {
      const reply = await line.exchange(request, options);
      const took = clock.monotonic() - began;
      // The wait for somebody else says nothing about this one.
      if (!account.isBehindAnother) slowest.set(unit, Math.max(slowest.get(unit) ?? 0, took));
      account.answered(unit, took);
      return reply;
    } catch (error) {
      if (error instanceof SteadingError && error.code === "DEVICE_TIMEOUT") {
        account.silent(unit, clock.monotonic() - began, isTold(error));
      }
      throw error;
    }
  }

  /** One turn on the bus. A second try takes a turn of its own, so that a command fits in between. */
  function turn(request: ModbusRequest, options: AskOptions, place: "first" | "last"): Promise<ModbusReply> {
    const { priority, signal } = options;
    return new Promise((resolve, reject) => {
      const item: Queued = {
        priority,
        async run() {
          signal?.removeEventListener("abort", giveUp);
          try {
            const { firstByte, timeout: given = timeout } = options;
            const own = options.probe === true ? probeTimeout(request.unit, given) : given;
            resolve(await exchange(request, { timeout: own, signal, firstByte, urgent: priority !== "poll" }));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        },
        drop: reject,
      };
      function giveUp(): void {
        queue.remove(item);
        reject(farmError("CANCELLED", "The request was given up before its turn came."));
      }
      if (closed) return reject(farmError("GATEWAY_DOWN", "The bus is closed."));
      if (signal?.aborted) return giveUp();
      // Before it is added: its turn may come, and end the listening, in the same breath.
      signal?.addEventListener("abort", giveUp, { once: true });
      try {
        queue.add(item, place);
      } catch (error) {
        signal?.removeEventListener("abort", giveUp);
        throw error;
      }
    });
  }

  async function ask(request: ModbusRequest, options: AskOptions): Promise<ModbusReply> {
    let retries = options.retries ?? (request.kind === "read" ? 1 : 0);
    let again = options;
    let taken: SteadingError | undefined;
    for (let busy = 0, place: "first" | "last" = "last"; ; place = "first") {
      try {
        return await turn(request, again, place);
      } catch (error) {
        if (!(error instanceof SteadingError)) throw error;
        // A device that took a write is busy with it; its next no is about the repetition.
        if (request.kind !== "read" && isLongJob(error)) taken ??= error;
        if (isBusyException(error) && busy < BUSY_TRIES - 1) {
          busy += 1;
          await clock.sleep(BUSY_PAUSE, options.signal);
        } else if (retries > 0 && isWorthASecondTry(error)) {
          retries -= 1;
          if (error.code === "DEVICE_TIMEOUT") again = { ...options, probe: true };
        } else {
          throw taken && isRefusal(error) ? taken : error;
        }
        retried += 1;
      }
    }
  }

  return {
    // Checked here as well: what can never be sent need not wait for its turn.
    async ask(request, options) {
      checkRequest(request);
      return ask(request, options);
    },
    quietFor: (unit) => account.quietFor(unit),
    connected: () => line.connected(),
    counters: () => ({ ...line.counters(), retries: retried, waiting: queue.waiting }),
    disconnect: () => line.disconnect(),
    close() {
      closed = true;
      queue.close(farmError("GATEWAY_DOWN", "The bus is closed."));
      line.disconnect();
    },
  };
}

/** The gateway said that the unit is silent. It has waited long enough, and would wait as long again. */
function isTold({ details }: SteadingError): boolean {
  return details?.["exception"] !== undefined;
}

/** Silence, damage, and a connection that ended under the question. A gateway that cannot be reached at all is none of these. */
function isWorthASecondTry(error: SteadingError): boolean {
  const { code, details } = error;
  return (code === "DEVICE_TIMEOUT" && !isTold(error)) || code === "DEVICE_GARBLED" || details?.["midway"] === true;
}
