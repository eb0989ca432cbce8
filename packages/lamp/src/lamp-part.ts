import {
  millis,
  seconds,
  type Clock,
  type Door,
  type Duration,
  type Health,
  type Log,
  type Part,
  type Reception,
} from "@steading/kernel";
import type { Graph, SourceHandle } from "@steading/subjects";
import { createLampLink, type LampLink, type LinkCounters } from "./lamp-link.ts";
import { lampError } from "./lamp-errors.ts";
import { createLampKeeper, registerKeepers, type LampKeeper } from "./lamp-keeper.ts";
import { createLampSource, LAMP_OBSERVER, observeLamp, observeTime, type LampSource } from "./lamp-source.ts";
import { createLampTools } from "./lamp-tools.ts";
import { createTcpDial } from "./tcp-wire.ts";
import type { Dial } from "./wire.ts";

export interface LampAddress {
  /** Its place in the graph: `/lamps/<name>`. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly title?: string;
  /** How long the lamp may take to answer. Default 1000. */
  readonly timeoutMs?: number;
  /** How often its state is read. Default 5000. */
  readonly pollMs?: number;
}

export interface LampPartDeps {
  readonly graph: Graph;
  readonly door: Door;
  readonly reception: Reception;
  readonly clock: Clock;
  readonly log: Log;
  readonly lamps: readonly LampAddress[];
  /** How a lamp is reached. Default: TCP. */
  readonly dial?: (lamp: LampAddress) => Dial;
}

/** What happened on the links to all lamps together; only ever grows, but for `devices`. */
export interface LampCounters extends LinkCounters {
  readonly devices: number;
}

export interface LampPart extends Part {
  counters(): LampCounters;
}

const MOUNT = "/lamps";
const FIRST_LOOK = millis(500);

/** Every configured lamp as a subject below `/lamps`, switched through the door alone. */
export function createLampPart(deps: LampPartDeps): LampPart {
  const { graph, door, reception, clock, log, lamps, dial = createTcpDial } = deps;
  const made = new Map<string, LampSource>();
  const links: LampLink[] = [];
  const keepers = new Map<string, LampKeeper>();
  for (const lamp of lamps) {
    const timeout = lamp.timeoutMs === undefined ? seconds(1) : millis(lamp.timeoutMs);
    const pollEvery: Duration = lamp.pollMs === undefined ? seconds(5) : millis(lamp.pollMs);
    const link = createLampLink({ name: lamp.name, dial: dial(lamp), clock, reception, timeout });
    const { name, title = name } = lamp;
    const observeFor = observeTime(timeout);
    links.push(link);
    const source = createLampSource({ name, title, link, clock, log, pollEvery, observeFor });
    made.set(name, source);
    keepers.set(name, createLampKeeper({ name, link, source, reception, observeFor }));
  }
  door.registerObserver(LAMP_OBSERVER, (reservation) => observeLamp(reservation, (name) => made.get(name), missing));
  registerKeepers(door, (name) => keepers.get(name)?.look ?? missing(name));
  let handles: readonly SourceHandle[] = [];

  async function begin(handle: SourceHandle, signal: AbortSignal): Promise<void> {
    try {
      await handle.start(signal);
    } catch (error) {
      if (!signal.aborted) log.error("A lamp could not be started.", error, { source: handle.name });
    }
  }

  /** A hub that says it is ready had better know its lamps; one that is switched off must not hold the others up. */
  async function firstLook(signal: AbortSignal): Promise<void> {
    try {
      await clock.sleep(FIRST_LOOK, signal);
    } catch {
      // Every lamp has answered, or the hub stops: nothing to wait for.
    }
  }

  return {
    name: "lamp",
    toolsets: [createLampTools({ lamp: (name) => keepers.get(name) })],
    async start(signal) {
      if (handles.length > 0) return;
      handles = [...made].map(([name, source]) => graph.addSource(`lamp:${name}`, source, { mount: MOUNT }));
      const synchronised = Promise.all(handles.map((handle) => begin(handle, signal)));
      const enough = new AbortController();
      await Promise.race([synchronised, firstLook(AbortSignal.any([signal, enough.signal]))]);
      enough.abort();
    },
    async stop() {
      const stopping = handles;
      handles = [];
      await Promise.all(stopping.map((handle) => handle.stop()));
    },
    counters: () => links.reduce(plus, { devices: links.length, ...NONE }),
    health(): Health {
      const away = [...made].filter(([, source]) => !source.answers()).map(([name]) => name);
      if (away.length === 0) return { status: "ok" };
      return { status: "degraded", reason: `${away.length} do not answer: ${away.slice(0, 10).join(", ")}.` };
    },
  };
}

const NONE: LinkCounters = { connects: 0, failedConnects: 0, requests: 0, timeouts: 0, garbage: 0, refused: 0 };

function plus(sum: LampCounters, link: LampLink): LampCounters {
  const { connects, failedConnects, requests, timeouts, garbage, refused } = link.counters();
  return {
    ...sum,
    connects: sum.connects + connects,
    failedConnects: sum.failedConnects + failedConnects,
    requests: sum.requests + requests,
    timeouts: sum.timeouts + timeouts,
    garbage: sum.garbage + garbage,
    refused: sum.refused + refused,
  };
}

function missing(name: string): Error {
  return lampError("SOURCE_UNAVAILABLE", `The lamp ${name} is not in the settings any more.`);
}
