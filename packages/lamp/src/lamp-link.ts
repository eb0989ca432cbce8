import { millis, seconds, type Cancel, type Clock, type Duration, type Reception } from "@steading/kernel";
import { createBackOff, type BackOff } from "./back-off.ts";
import { createConversation, type Answered, type AskOptions, type Conversation } from "./conversation.ts";
import { lampError } from "./lamp-errors.ts";
import type { LampRequest } from "./lamp-request.ts";
import type { Dial, Wire } from "./wire.ts";

/** What has happened on the link since it was made; only ever grows. */
export interface LinkCounters {
  readonly connects: number;
  readonly failedConnects: number;
  readonly requests: number;
  readonly timeouts: number;
  readonly garbage: number;
  /** Requests refused because too many were waiting. */
  readonly refused: number;
}

/** A lamp as something to ask: one connection at a time, made again whenever it is lost. */
export interface LampLink {
  start(signal: AbortSignal): void;
  stop(): Promise<void>;
  /**
   * Asks at once when connected. Otherwise it cuts the wait for the next attempt short and asks after that; SOURCE_UNAVAILABLE,
   * with nothing sent, when it fails.
   */
  ask(request: LampRequest, options?: AskOptions): Promise<Answered>;
  connected(): boolean;
  onConnection(listener: (connected: boolean) => void): Cancel;
  counters(): LinkCounters;
}

export interface LampLinkDeps {
  readonly name: string;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly reception: Reception;
  /** For one answer, and for one attempt to connect. Default 1 s. */
  readonly timeout?: Duration;
  readonly backOff?: BackOff;
  /** Requests that may wait at a time. Default 16. */
  readonly maxPending?: number;
}

/** A caller cannot make us dial more often than this. */
const LEAST_GAP = millis(250);

export function createLampLink(deps: LampLinkDeps): LampLink {
  const { name, dial, clock, reception, timeout = seconds(1), maxPending = 16 } = deps;
  const backOff = deps.backOff ?? createBackOff({ first: seconds(10), most: seconds(60) });
  const counters = {
    connects: 0,
    failedConnects: 0,
    requests: 0,
    timeouts: 0,
    garbage: 0,
    refused: 0,
  };
  const listeners = new Set<(connected: boolean) => void>();
  const waiting = new Set<{
    resolve(conversation: Conversation): void;
    reject(error: Error): void;
  }>();
  let conversation: Conversation | undefined;
  let failedAt: number | undefined;
  let endPause: (() => void) | undefined;
  let ownStop: AbortController | undefined;
  let running: AbortSignal | undefined;
  let loop: Promise<void> = Promise.resolve();

  const unavailable = (cause?: unknown) =>
    lampError("SOURCE_UNAVAILABLE", `The lamp ${name} is not connected.`, cause === undefined ? {} : { cause });

  function pause(duration: Duration, signal: AbortSignal): Promise<void> {
    if (duration <= 0 || waiting.size > 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.timer(duration, done);
      function done(): void {
        cancel();
        endPause = undefined;
        signal.removeEventListener("abort", done);
        resolve();
      }
      endPause = done;
      signal.addEventListener("abort", done, { once: true });
    });
  }

  async function connect(signal: AbortSignal): Promise<Wire | undefined> {
    const giveUp = new AbortController();
    const cancel = clock.timer(timeout, () => giveUp.abort());
    try {
      return await dial(AbortSignal.any([signal, giveUp.signal]));
    } catch (cause) {
      counters.failedConnects += 1;
      failedAt = clock.monotonic();
      for (const each of waiting) each.reject(unavailable(cause));
      waiting.clear();
      return undefined;
    } finally {
      cancel();
    }
  }

  async function converse(wire: Wire, signal: AbortSignal): Promise<void> {
    counters.connects += 1;
    failedAt = undefined;
    const current = createConversation({
      name,
      wire,
      clock,
      reception,
      timeout,
      maxPending,
      told: {
        answer: () => backOff.reset(),
        garbage: () => (counters.garbage += 1),
        timeout: () => (counters.timeouts += 1),
        refused: () => (counters.refused += 1),
      },
    });
    conversation = current;
    const onAbort = (): void => current.end(unavailable());
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    for (const each of waiting) each.resolve(current);
    waiting.clear();
    tell(true);
    await current.ended;
    signal.removeEventListener("abort", onAbort);
    conversation = undefined;
    tell(false);
  }

  async function keepConnected(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(backOff.next(), signal);
      if (signal.aborted) break;
      const wire = await connect(signal);
      if (wire) await converse(wire, signal);
    }
    for (const each of waiting) each.reject(unavailable());
    waiting.clear();
  }

  function tell(connected: boolean): void {
    for (const listener of listeners) listener(connected);
  }

  function reachable(): Promise<Conversation> {
    if (conversation) return Promise.resolve(conversation);
    const justFailed = failedAt !== undefined && clock.monotonic() - failedAt < LEAST_GAP;
    if (!running || running.aborted || justFailed) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      waiting.add({ resolve, reject });
      endPause?.();
    });
  }

  return {
    start(signal) {
      if (running) return;
      ownStop = new AbortController();
      running = AbortSignal.any([signal, ownStop.signal]);
      loop = keepConnected(running);
    },
    async stop() {
      ownStop?.abort();
      await loop;
    },
    async ask(request, options = {}) {
      options.signal?.throwIfAborted();
      if (waiting.size >= maxPending) {
        counters.refused += 1;
        throw unavailable();
      }
      const current = await reachable();
      counters.requests += 1;
      return current.ask(request, options);
    },
    connected: () => conversation !== undefined,
    onConnection(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    counters: () => ({ ...counters }),
  };
}
