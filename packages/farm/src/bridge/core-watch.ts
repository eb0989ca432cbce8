import { isJsonObject, millis, seconds, SteadingError, type Cancel, type Clock, type Log } from "@steading/kernel";
import { rowsOf, type CoreLists } from "./core-lists.ts";
import type { AskCore, CoreClient } from "./core-client.ts";
import { isAway, type CoreReach } from "./core-reach.ts";
import type { CoreView } from "./core-view.ts";
import { toWhole } from "./core-values.ts";
import type { ZoneName } from "./equipment-from-core.ts";
import { zoneFromCore, type CoreZone } from "./zone-map.ts";

export type Looked = "equipment" | "alerts" | "automations" | "zones";

/** Looks at the core again and again, sooner when somebody says that there is something to see. */
export interface CoreWatch {
  /** Resolves after the first look, or after `patience` when that takes longer. */
  start(): Promise<void>;
  stop(): void;
  /** There is something to see. Many of these become one look. */
  hint(what: Looked): void;
  /** While the core tells of itself what happens, looking is only a safeguard. */
  toldBySocket(live: boolean): void;
}

const PACE = seconds(5);
const PACE_WHEN_TOLD = seconds(60);
/** Automations and zones change when people change them. */
const ROUNDS_PER: Readonly<Record<Looked, number>> = { equipment: 1, alerts: 1, automations: 3, zones: 12 };
const FIRST_PAUSE = seconds(1);
const LONGEST_PAUSE = seconds(30);
const HINT_WAIT = millis(100);
const HINT_GAP = seconds(1);
const PATIENCE = seconds(2);
const MOST_ZONES = 200;

export function createCoreWatch({
  client,
  lists,
  view,
  reach,
  clock,
  log,
}: {
  readonly client: CoreClient;
  readonly lists: CoreLists;
  readonly view: CoreView;
  readonly reach: CoreReach;
  readonly clock: Clock;
  readonly log: Log;
}): CoreWatch {
  const looks: Readonly<Record<Looked, (ask: AskCore) => Promise<void>>> = {
    equipment: async (ask) => view.seeEquipment(await lists.equipment(ask)),
    alerts: async (ask) => view.seeAlerts(await lists.alerts(ask, { acknowledged: false })),
    automations: async (ask) => view.seeAutomations(await lists.automations(ask)),
    zones: async (ask) => {
      const body = await ask({ method: "GET", path: "/api/zones" });
      const zones = rowsOf(body, "zones").flatMap((row) => zoneFromCore(row) ?? []);
      const named = view.equipment.every(({ namesZones }) => namesZones);
      // Their names are worth having, also when what stands in them cannot be had.
      const members = named ? undefined : await membersOf(zones.slice(0, MOST_ZONES), client).catch(noted);
      view.seeZones(zones, members);
    },
  };
  const hints = new Map<Looked, Cancel>();
  const lookedAt = new Map<Looked, number>();
  let running = false;
  let told = false;
  let rounds = 0;
  let pause: number = FIRST_PAUSE;
  /** Undefined while a round is under way. */
  let cancel: Cancel | undefined;

  async function look(what: Looked): Promise<void> {
    const ask = client.forWatching();
    if (!ask) return;
    lookedAt.set(what, clock.monotonic());
    await looks[what](ask);
  }

  /** True: the core is there, and the bridge may look at it. */
  async function round(): Promise<boolean> {
    let seen = client.forWatching() !== undefined;
    // Equipment first: whether it names its zones decides how those are looked at.
    for (const what of ["equipment", "zones", "alerts", "automations"] as const) {
      if (!running || !client.forWatching()) break;
      if (rounds % ROUNDS_PER[what] !== 0) continue;
      const failure = await look(what).then(
        () => undefined,
        (error: unknown) => error ?? new Error("It failed without a word."),
      );
      if (failure === undefined) continue;
      noteFailure(failure);
      // A core may lack one call and have the others; one that is away has none.
      if (isAway(failure) && !reach.connected) return false;
      if (what === "equipment") seen = false;
    }
    // Without a login, or with one that is refused, there is still the question whether anybody is there.
    if (!seen) await client.alive().catch(noteFailure);
    else rounds += 1;
    return reach.connected && (seen || !client.forWatching());
  }

  function noteFailure(error: unknown): void {
    const code = error instanceof SteadingError ? error.code : "INTERNAL";
    if (code === "INTERNAL") log.error("The core could not be looked at.", error);
    else log.debug("The core could not be looked at.", { code });
  }

  function noted(error: unknown): undefined {
    noteFailure(error);
    return undefined;
  }

  async function goOn(): Promise<void> {
    cancel = undefined;
    const there = await round();
    if (!running) return;
    const wait = there ? (told ? PACE_WHEN_TOLD : PACE) : millis(pause);
    pause = there ? FIRST_PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
    cancel = clock.timer(wait, () => void goOn());
  }

  function hint(what: Looked): void {
    if (!running || hints.has(what)) return;
    const since = clock.monotonic() - (lookedAt.get(what) ?? -Infinity);
    const fire = (): void => {
      hints.delete(what);
      look(what).catch(noteFailure);
    };
    hints.set(what, clock.timer(millis(Math.max(HINT_WAIT, HINT_GAP - since)), fire));
  }

  return {
    async start() {
      if (running) return;
      running = true;
      // A client that comes at once should find the names; one that cannot be answered yet should not wait for them.
      const waiting = new AbortController();
      const first = goOn().finally(() => waiting.abort());
      await Promise.race([first, clock.sleep(PATIENCE, waiting.signal).catch(() => undefined)]);
    },
    stop() {
      running = false;
      cancel?.();
      for (const each of hints.values()) each();
      hints.clear();
    },
    hint,
    toldBySocket(live) {
      if (told === live) return;
      told = live;
      if (!running) return;
      // What happened before the socket stood, or after it broke, is only seen by looking.
      for (const what of ["equipment", "alerts", "automations"] as const) hint(what);
      if (cancel === undefined) return;
      cancel();
      cancel = clock.timer(live ? PACE_WHEN_TOLD : PACE, () => void goOn());
    },
  };
}

/** The reference's equipment does not say where it stands; its zones say what stands in them. */
async function membersOf(
  zones: readonly CoreZone[],
  client: CoreClient,
): Promise<ReadonlyMap<number, readonly ZoneName[]>> {
  const members = new Map<number, ZoneName[]>();
  for (const { id, name } of zones) {
    const body = await client.forWatching()?.({ method: "GET", path: `/api/zones/${id}` });
    const inside = isJsonObject(body) && Array.isArray(body["equipment"]) ? rowsOf(body, "equipment") : [];
    for (const each of inside) {
      const member = isJsonObject(each) ? toWhole(each["id"] ?? each["equipment_id"]) : undefined;
      if (member !== undefined) members.set(member, [...(members.get(member) ?? []), { id, name }]);
    }
  }
  return members;
}
