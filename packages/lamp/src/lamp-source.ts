import {
  millis,
  type AskedEffect,
  type Cancel,
  type Clock,
  type Duration,
  type Json,
  type JsonObject,
  type Log,
  type Observe,
  type Received,
} from "@steading/kernel";
import type { Source, SourceContext, SourceWrite, Update } from "@steading/subjects";
import type { LampLink } from "./lamp-link.ts";
import { createLampSubject, OWNED_PROPERTIES } from "./lamp-subject.ts";

/** The name under which the door finds back to a lamp after a crash. */
export const LAMP_OBSERVER = "lamp.switch";

export interface LampSource extends Source {
  /** Asks the lamp, puts the answer into the graph, and returns it as received. */
  look(signal: AbortSignal): Promise<Received>;
  /** Did the lamp answer when it was last asked? */
  answers(): boolean;
}

export interface LampSourceDeps {
  readonly name: string;
  readonly title: string;
  readonly link: LampLink;
  readonly clock: Clock;
  readonly log: Log;
  readonly pollEvery: Duration;
  readonly observeFor: Duration;
}

/**
 * One lamp in the graph. It keeps its own connection, so a lamp that is away for a moment stays writable: what is sent
 * to it then fails before the first byte, and its value is told as stale.
 */
export function createLampSource(deps: LampSourceDeps): LampSource {
  const { name, link, clock, log, pollEvery } = deps;
  const lamp = createLampSubject({ title: deps.title });
  let context: SourceContext | undefined;
  let polling: Promise<void> = Promise.resolve();
  let stopPolling: AbortController | undefined;
  let forget: Cancel | undefined;
  let seenAt: number | undefined;
  let reachable: boolean | undefined;

  async function look(signal: AbortSignal): Promise<Received> {
    try {
      const { arrival } = await link.ask("read", { signal });
      seen(arrival);
      return arrival;
    } catch (error) {
      if (!signal.aborted) lost(error);
      throw error;
    }
  }

  function seen(arrival: Received): void {
    if (reachable !== true) log.info("A lamp answers.", { lamp: name });
    reachable = true;
    seenAt = arrival.at;
    context?.write([
      { subject: lamp, property: "on", value: arrival.value, at: arrival.at, quality: "good" },
      ...diagnostics(),
    ]);
  }

  function lost(error: unknown): void {
    if (reachable !== false) log.warn("A lamp does not answer.", { lamp: name, reason: reasonOf(error) });
    reachable = false;
    // A value that was never seen has no age; it stays unknown, and the graph is not told until there is one.
    if (seenAt === undefined) return;
    context?.write([{ subject: lamp, property: "on", value: lamp.on, at: seenAt, quality: "stale" }, ...diagnostics()]);
  }

  function diagnostics(): readonly Update[] {
    const { timeouts, garbage } = link.counters();
    return [
      { subject: lamp, property: "connected", value: link.connected() },
      { subject: lamp, property: "timeouts", value: timeouts },
      { subject: lamp, property: "garbage", value: garbage },
    ];
  }

  /** Until the lamp has answered once nothing is known about it, so there is nothing to give out. */
  async function firstAnswer(signal: AbortSignal): Promise<Received> {
    for (;;) {
      try {
        return await look(signal);
      } catch (error) {
        if (signal.aborted) throw error;
        await clock.sleep(pollEvery, signal);
      }
    }
  }

  async function poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await clock.sleep(pollEvery, signal);
        await look(signal);
      } catch {
        // Told by `lost`, or the end of polling; either way the loop's condition decides.
      }
    }
  }

  return {
    writes: "door",
    look,
    answers: () => reachable === true,
    start(given) {
      context = given;
      if (lamp.$graph === null) given.attach("", name, lamp);
      given.claim(lamp, OWNED_PROPERTIES);
      link.start(given.signal);
      forget ??= link.onConnection((connected) => {
        if (!connected) lost(new Error("The connection ended."));
        else if (reachable === false) void look(given.signal).catch(() => {}); // back again; `look` tells what came of it
      });
      return Promise.resolve();
    },
    async load(signal) {
      const { value, at } = await firstAnswer(signal);
      stopPolling?.abort();
      stopPolling = new AbortController();
      polling = poll(stopPolling.signal);
      return [{ subject: lamp, property: "on", value, at }, ...diagnostics()];
    },
    effectFor: (write) => switchEffect(write, deps),
    async stop() {
      forget?.();
      forget = undefined;
      stopPolling?.abort();
      await link.stop();
      await polling;
    },
  };
}

function switchEffect({ path, value, previous }: SourceWrite, { name, link, observeFor }: LampSourceDeps): AskedEffect {
  const on = value === true;
  const effectArguments: JsonObject = { path, value: on };
  return {
    arguments: effectArguments,
    target: `lamp:${name}`,
    toward: on ? "live" : "safe",
    summary: `Switch the lamp ${name} ${on ? "on" : "off"}.`,
    observer: LAMP_OBSERVER,
    observeWith: { lamp: name, on },
    ...(previous !== undefined && previous !== null && { before: previous }),
    drive: {
      async send(wire, signal): Promise<Json> {
        await link.ask(on ? "on" : "off", { signal, firstByte: () => wire.firstByte() });
        return null;
      },
    },
    observeDeadline: observeFor,
  };
}

/** How the door looks at a lamp again, from what it kept about the effect. */
export function observeLamp(
  reservation: JsonObject,
  lampNamed: (name: string) => Pick<LampSource, "look"> | undefined,
  missing: (name: string) => Error,
): Observe {
  const { lamp, on: wanted } = reservation;
  const name = typeof lamp === "string" ? lamp : "";
  return {
    async read(signal) {
      const source = lampNamed(name);
      if (!source) throw missing(name);
      return source.look(signal);
    },
    satisfies: (value) => value === wanted,
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Long enough for a fresh connection and a second look, short enough that a person waits for the answer. */
export function observeTime(timeout: Duration): Duration {
  return millis(Math.max(1_000, timeout * 3));
}
