import { millis, seconds, SteadingError, type Clock, type Duration } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Connection, ExchangeOptions, OpenConnection } from "./connection.ts";
import { createGrowingDelay, type GrowingDelay } from "./growing-delay.ts";
import { checkRequest, type ModbusReply, type ModbusRequest } from "./modbus-request.ts";

/** What has happened on the line since it was made; only ever grows. */
export interface LineCounters {
  readonly connects: number;
  readonly failedConnects: number;
  readonly requests: number;
  readonly bytesSent: number;
  readonly timeouts: number;
  /** Frames that answered nothing we asked. */
  readonly foreign: number;
  readonly garbled: number;
}

export interface LineExchange extends ExchangeOptions {
  /** Dial at once, even if the last attempt has just failed and the next is not due. A command does, a poll does not. */
  readonly urgent?: boolean;
}

/** A gateway as something to ask: one connection, made again whenever it is needed; one request in flight. */
export interface Line {
  /** Refuses what the protocol cannot carry before dialling. */
  exchange(request: ModbusRequest, options: LineExchange): Promise<ModbusReply>;
  connected(): boolean;
  counters(): LineCounters;
  /** Ends the connection; the next exchange makes a fresh one. */
  disconnect(): void;
}

export interface LineDeps {
  readonly name: string;
  readonly open: OpenConnection;
  /** Frames carry no number, so a late answer of a unit could pass for the next one's. True for RTU. */
  readonly anonymousFrames: boolean;
  readonly clock: Clock;
  readonly connectTimeout?: Duration;
  readonly delay?: GrowingDelay;
}

/** A caller cannot make us dial more often than this. */
const LEAST_GAP = millis(250);
/** After a damaged answer the rest of it is let pass. */
const FLUSH = millis(50);

export function createLine(deps: LineDeps): Line {
  const { name, open, anonymousFrames, clock, connectTimeout = seconds(1) } = deps;
  const delay = deps.delay ?? createGrowingDelay({ first: seconds(1), most: seconds(30), jitter: 0.1 });
  const counters = { connects: 0, failedConnects: 0, requests: 0, bytesSent: 0, timeouts: 0, foreign: 0, garbled: 0 };
  /** Units that still owe an answer on this connection. */
  const owing = new Set<number>();
  let connection: Connection | undefined;
  let dialling: Promise<Connection> | undefined;
  let failed: { readonly at: number; readonly nextAt: number } | undefined;

  function drop(): void {
    const dropped = connection;
    connection = undefined;
    dropped?.close();
  }

  async function connect(): Promise<Connection> {
    const giveUp = new AbortController();
    const cancel = clock.timer(connectTimeout, () => giveUp.abort());
    try {
      const told = {
        sent: (bytes: number) => (counters.bytesSent += bytes),
        foreign: () => (counters.foreign += 1),
        garbled: () => (counters.garbled += 1),
      };
      const made = await open(told, giveUp.signal);
      counters.connects += 1;
      failed = undefined;
      owing.clear();
      connection = made;
      void made.ended.then(() => {
        if (connection === made) connection = undefined;
      });
      return made;
    } catch (cause) {
      counters.failedConnects += 1;
      noteOutage({ midway: false });
      throw farmError("GATEWAY_DOWN", `The gateway ${name} cannot be reached.`, { cause });
    } finally {
      cancel();
      dialling = undefined;
    }
  }

  async function connected(urgent: boolean): Promise<Connection> {
    if (connection) return connection;
    const since = failed === undefined ? undefined : clock.monotonic();
    if (failed && since !== undefined && since < (urgent ? failed.at + LEAST_GAP : failed.nextAt)) {
      throw farmError("GATEWAY_DOWN", `The gateway ${name} cannot be reached; it is tried again later.`);
    }
    dialling ??= connect();
    return dialling;
  }

  /** What a failed exchange means for the next one. */
  async function noteFailure({ code, details }: SteadingError, unit: number): Promise<void> {
    if (code === "DEVICE_EXCEPTION") delay.reset();
    if (code === "DEVICE_TIMEOUT") counters.timeouts += 1;
    // An exception of the gateway is an answer; after it nothing is owed.
    if ((code === "DEVICE_TIMEOUT" && details?.["exception"] === undefined) || code === "CANCELLED") owing.add(unit);
    if (code === "GATEWAY_DOWN") noteOutage({ midway: details?.["midway"] === true });
    if (code === "DEVICE_GARBLED" && anonymousFrames) await clock.sleep(FLUSH);
  }

  /**
   * Gateways close connections that were idle, and the next request finds out: that is no outage yet, and the first
   * attempt after it is free.
   */
  function noteOutage({ midway }: { readonly midway: boolean }): void {
    const at = clock.monotonic();
    const isFirst = midway && delay.failures === 0;
    const nextAt = at + delay.next();
    failed = isFirst ? undefined : { at, nextAt };
  }

  return {
    async exchange(request, { urgent = false, ...options }) {
      checkRequest(request);
      // A unit that owes us an answer could give it to the next question; on a fresh connection it cannot.
      if (anonymousFrames && owing.has(request.unit)) drop();
      const current = await connected(urgent);
      counters.requests += 1;
      try {
        const reply = await current.exchange(request, options);
        delay.reset();
        return reply;
      } catch (error) {
        if (error instanceof SteadingError) await noteFailure(error, request.unit);
        throw error;
      }
    },
    connected: () => connection !== undefined,
    counters: () => ({ ...counters }),
    disconnect: drop,
  };
}
