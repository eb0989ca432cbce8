import type { AskedEffect, Door, Duration, Json, JsonObject, Observe, Received, Reception } from "@steading/kernel";
import type { LampLink } from "./lamp-link.ts";
import type { LampSource } from "./lamp-source.ts";

/** What can be set back on a lamp, and what the lamp shows once it is. */
const SET_BACK = {
  "reset-counter": { observer: "lamp.counter", shows: { switches: 0 } },
  "factory-reset": { observer: "lamp.delivered", shows: { on: false, switches: 0 } },
} as const;
export type SetBack = keyof typeof SET_BACK;

/** The seldom things that are done to a lamp, which no property of it stands for. */
export interface LampKeeper {
  effect(what: SetBack, summary: string): AskedEffect;
  /** Asks the lamp for what `what` changes. */
  look(what: SetBack, signal: AbortSignal): Promise<Received>;
}

export function createLampKeeper({
  name,
  link,
  source,
  reception,
  observeFor,
}: {
  readonly name: string;
  readonly link: LampLink;
  /** Its look tells the graph, too. */
  readonly source: Pick<LampSource, "look">;
  readonly reception: Reception;
  readonly observeFor: Duration;
}): LampKeeper {
  return {
    async look(what, signal) {
      const state = what === "factory-reset" ? { on: (await source.look(signal)).value } : {};
      const { arrival } = await link.ask("count", { signal });
      return reception.received<Json>({ ...state, switches: arrival.value });
    },
    effect: (what, summary) => ({
      arguments: { lamp: name },
      target: `lamp:${name}`,
      toward: "live",
      summary,
      observer: SET_BACK[what].observer,
      observeWith: { lamp: name },
      observeDeadline: observeFor,
      drive: {
        async send(wire, signal): Promise<Json> {
          await link.ask(what, { signal, firstByte: () => wire.firstByte() });
          return null;
        },
      },
    }),
  };
}

/** How the door looks at a lamp that was set back, also after a crash. */
export function registerKeepers(
  door: Pick<Door, "registerObserver">,
  lookOf: (name: string) => LampKeeper["look"] | Error,
): void {
  for (const what of Object.keys(SET_BACK) as SetBack[]) {
    const { observer, shows } = SET_BACK[what];
    door.registerObserver(observer, ({ lamp }: JsonObject): Observe => {
      const look = lookOf(typeof lamp === "string" ? lamp : "");
      return {
        read: (signal) => (look instanceof Error ? Promise.reject(look) : look(what, signal)),
        satisfies: (value) => JSON.stringify(value) === JSON.stringify(shows),
      };
    });
  }
}
