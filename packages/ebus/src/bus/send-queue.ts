import { millis, type Cancel, type Clock } from "@steading/kernel";
import { ebusError } from "../ebus-errors.ts";
import type { Command } from "../wire/telegram.ts";
import type { Carrier } from "./carrier.ts";
import { unsent, type ExchangeResult } from "./exchange-result.ts";

/** First to last. Within one, first come first served. */
export const PRIORITIES = ["write", "call", "poll", "scan"] as const;
export type Priority = (typeof PRIORITIES)[number];
const QUEUE_LIMIT = 64;

export interface QueuedRequest {
  readonly command: Command;
  readonly priority: Priority;
  /** Equal reads share one telegram. A write is never shared. */
  readonly read: boolean;
  /** Not satisfied by a telegram that is on its way already: for a look at what a write did. */
  readonly fresh?: boolean;
  /** On the clock's monotonic scale. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
  firstByte?(): void;
}

export interface QueueCounters {
  readonly sent: number;
  readonly coalesced: number;
  readonly refused: number;
  readonly expired: number;
}

export interface SendQueue {
  submit(request: QueuedRequest): Promise<ExchangeResult>;
  /** Everything that waits ends with nothing sent: as disconnected, or with the error. */
  clear(error?: Error): void;
  readonly waiting: number;
  readonly counters: QueueCounters;
}

interface Waiter {
  readonly deadline: number;
  resolve(result: ExchangeResult): void;
  reject(error: unknown): void;
}

interface Entry {
  readonly key: string | undefined;
  readonly command: Command;
  rank: number;
  readonly order: number;
  readonly waiters: Set<Waiter>;
  readonly firstByte: (() => void) | undefined;
  /** Aborts when nobody waits any more. */
  readonly abandoned: AbortController;
}

/** The one way to the carrier: bounded, by priority, one telegram at a time. */
export function createSendQueue({
  carrier,
  clock,
  limit = QUEUE_LIMIT,
}: {
  readonly carrier: () => Carrier | undefined;
  readonly clock: Clock;
  readonly limit?: number;
}): SendQueue {
  const waiting: Entry[] = [];
  const counters = { sent: 0, coalesced: 0, refused: 0, expired: 0 };
  let running: Entry | undefined;
  let orders = 0;

  const keyOf = ({ command: { source, target, primary, secondary, data } }: QueuedRequest): string =>
    Buffer.of(source, target, primary, secondary, ...data).toString("hex");

  function shared(request: QueuedRequest, key: string | undefined): Entry | undefined {
    if (key === undefined) return undefined;
    if (running?.key === key && !request.fresh) return running;
    return waiting.find((entry) => entry.key === key);
  }

  function join(entry: Entry, { deadline, signal }: QueuedRequest): Promise<ExchangeResult> {
    return new Promise((resolve, reject) => {
      const leave = (result: ExchangeResult): void => {
        waiter.resolve(result);
        if (entry.waiters.size > 0) return;
        const place = waiting.indexOf(entry);
        if (place >= 0) waiting.splice(place, 1);
        entry.abandoned.abort();
      };
      const onAbort = (): void => leave(unsent("cancelled"));
      const settled = (): void => {
        expiry();
        signal?.removeEventListener("abort", onAbort);
        entry.waiters.delete(waiter);
      };
      const waiter: Waiter = {
        deadline,
        resolve(result) {
          settled();
          resolve(result);
        },
        reject(error) {
          settled();
          reject(error);
        },
      };
      // While it runs the carrier keeps the deadline, and knows better what has left.
      const expiry: Cancel = clock.timer(millis(Math.max(0, deadline - clock.monotonic())), () => {
        if (entry === running && deadline >= latest(entry)) return;
        counters.expired += 1;
        leave(unsent("deadline"));
      });
      entry.waiters.add(waiter);
      if (signal?.aborted && entry !== running) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  function take(): Entry | undefined {
    let best = 0;
    for (let i = 1; i < waiting.length; i += 1) {
      const [a, b] = [waiting[i], waiting[best]];
      if (a && b && (a.rank < b.rank || (a.rank === b.rank && a.order < b.order))) best = i;
    }
    return waiting.splice(best, 1)[0];
  }

  async function run(): Promise<void> {
    if (running) return;
    for (let entry = take(); entry; entry = take()) {
      running = entry;
      await carry(entry);
      running = undefined;
    }
  }

  async function carry(entry: Entry): Promise<void> {
    const { command, firstByte, abandoned } = entry;
    try {
      const result = await (carrier()?.carry(command, {
        deadline: latest(entry),
        signal: abandoned.signal,
        ...(firstByte && { firstByte }),
      }) ?? unsent("disconnected"));
      counters.sent += result.transmissions > 0 ? 1 : 0;
      for (const waiter of [...entry.waiters]) waiter.resolve(result);
    } catch (error) {
      for (const waiter of [...entry.waiters]) waiter.reject(error);
    }
  }

  return {
    submit(request) {
      const key = request.read ? keyOf(request) : undefined;
      const rank = PRIORITIES.indexOf(request.priority);
      const existing = shared(request, key);
      if (existing) {
        counters.coalesced += 1;
        existing.rank = Math.min(existing.rank, rank);
        return join(existing, request);
      }
      if (waiting.length >= limit) {
        counters.refused += 1;
        return Promise.reject(
          ebusError("BUS_UNAVAILABLE", `QueueFull: ${limit} telegrams wait for the bus already.`, {
            details: { reason: "QueueFull", limit },
          }),
        );
      }
      const entry: Entry = {
        key,
        command: request.command,
        rank,
        order: orders++,
        waiters: new Set(),
        firstByte: request.firstByte?.bind(request),
        abandoned: new AbortController(),
      };
      waiting.push(entry);
      const result = join(entry, request);
      void run();
      return result;
    },
    clear(error) {
      for (const entry of waiting.splice(0))
        for (const waiter of [...entry.waiters])
          if (error) waiter.reject(error);
          else waiter.resolve(unsent("disconnected"));
    },
    get waiting() {
      return waiting.length;
    },
    counters,
  };
}

function latest(entry: Entry): number {
  let last = 0;
  for (const { deadline } of entry.waiters) last = Math.max(last, deadline);
  return last;
}
