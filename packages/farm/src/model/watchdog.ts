import { seconds, type Cancel, type Clock, type Log } from "@steading/kernel";
import type { EquipmentBook } from "./equipment-book.ts";
import type { FarmEvents } from "./farm-events.ts";
import type { Field } from "./field.ts";
import { iso } from "./instant.ts";
import type { WatchdogEvent } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** Writes down what went away and what came back, and for how long it was gone. */
export interface Watchdog {
  start(): void;
  /** Resolves when what was seen is kept. */
  stop(): Promise<void>;
  /** Newest first. */
  history(filter: {
    readonly type?: WatchdogEvent["event_type"] | undefined;
    readonly target?: string | undefined;
  }): readonly WatchdogEvent[];
  /** Gateways, and since when they are gone; undefined for one that is there. */
  gateways(): ReadonlyMap<string, number | undefined>;
}

/** How often gateways are looked at. */
const LOOK = seconds(10);
/** What happens together is written together: a dead switch takes a hundred devices with it. */
const GATHER = seconds(1);

export function createWatchdog({
  tables,
  book,
  field,
  events,
  clock,
  log,
}: {
  readonly tables: Tables;
  readonly book: EquipmentBook;
  readonly field: Pick<Field, "gateways">;
  readonly events: FarmEvents;
  readonly clock: Clock;
  readonly log: Log;
}): Watchdog {
  /** Equipment that was heard of, and since when it is gone. */
  const devices = new Map<number, number | undefined>();
  const gateways = new Map<string, number | undefined>();
  let gathered: WatchdogEvent[] = [];
  let cancelLook: Cancel = () => {};
  let cancelGather: Cancel | undefined;
  let forget: Cancel | undefined;

  async function flush(): Promise<void> {
    cancelGather = undefined;
    const rows = gathered;
    gathered = [];
    if (rows.length === 0) return;
    try {
      await tables.commit(rows.map((put) => ({ table: "watchdog_events", put })));
    } catch (error) {
      log.error("What the watchdog saw could not be kept.", error);
    }
  }

  function note(event: Omit<WatchdogEvent, "id" | "created_at">): void {
    gathered.push({ ...event, id: tables.nextId("watchdog_events"), created_at: clock.now() });
    cancelGather ??= clock.timer(GATHER, () => void flush());
  }

  /** Notes a change between there and gone. The first look at something is no change. */
  function see<K>(known: Map<K, number | undefined>, key: K, isThere: boolean, tell: Tell): void {
    const present = clock.now();
    if (!known.has(key)) {
      if (isThere) known.set(key, undefined);
      return;
    }
    const since = known.get(key);
    if (isThere === (since === undefined)) return;
    known.set(key, isThere ? undefined : present);
    const lasted = since === undefined ? null : Math.max(0, Math.round((present - since) / 1_000));
    tell(isThere ? "up" : "down", lasted);
  }
  type Tell = (status: "up" | "down", lasted: number | null) => void;

  function hear(id: number): void {
    const equipment = book.find(id);
    if (!equipment) return void devices.delete(id);
    const { status, errorLog } = book.state(id);
    if (status === "disabled" || status === "warning") return;
    see(devices, id, status === "online", (told, duration_seconds) =>
      note({
        event_type: "equipment",
        target: `equipment:${id}`,
        status: told,
        message: told === "up" ? `Equipment ${id} answers again` : `Equipment ${id} does not answer`,
        detail: { equipment_id: id, status, error: errorLog },
        duration_seconds,
      }),
    );
  }

  function look(): void {
    const present = field.gateways();
    for (const name of gateways.keys()) if (!(name in present)) gateways.delete(name);
    for (const [name, connected] of Object.entries(present)) {
      see(gateways, name, connected, (status, duration_seconds) => {
        const message = status === "up" ? "The gateway is connected again" : "The gateway is not connected any more";
        note({ event_type: "connectivity", target: name, status, message, detail: null, duration_seconds });
        const downSince = gateways.get(name);
        const since = downSince === undefined ? null : iso(downSince);
        events.emit({ kind: "connectivity", data: { target: name, status, downSince: since } });
      });
    }
    cancelLook = clock.timer(LOOK, look);
  }

  return {
    start() {
      if (forget) return;
      forget = events.on((event) => {
        if (event.kind === "equipment" && (event.change === "status" || event.change === "deleted")) hear(event.id);
      });
      const duration_seconds = null;
      note({ event_type: "system", target: "hub", status: "up", message: "Started", detail: null, duration_seconds });
      look();
    },
    async stop() {
      forget?.();
      forget = undefined;
      cancelLook();
      cancelGather?.();
      await flush();
    },
    history: ({ type, target }) =>
      [...tables.all("watchdog_events"), ...gathered]
        .filter(
          (event) =>
            (type === undefined || event.event_type === type) && (target === undefined || event.target === target),
        )
        .toReversed(),
    gateways: () => new Map(gateways),
  };
}
