import type { Effect, Observe } from "../effect.ts";
import { millis, type Duration } from "../duration.ts";
import { SteadingError } from "../steading-error.ts";
import { trialCaller, type TrialDoor } from "./trial-door.ts";

/** How the relay behaves on the next sends. */
export type RelayMood =
  | "obeys"
  /** Acknowledges and stays as it was. */
  | "lies"
  /** Refuses after the first byte. */
  | "refuses"
  /** The line is down before anything could be sent. */
  | "unreachable"
  /** The line breaks after the first byte. */
  | "breaks"
  /** Throws something that is no error of ours, after the first byte. */
  | "crashes"
  /** Never answers. */
  | "hangs";

export interface TrialRelay {
  mood: RelayMood;
  on: boolean;
  /** How long a send takes. */
  delay: Duration;
  /** What happened, in order: `on:start`, `on:done`, `read`. */
  readonly events: string[];
  /** How many times a byte left for it. */
  readonly sends: number;
  /** The most sends that were ever under way at once. */
  readonly together: number;
  readonly observe: Observe;
  effect(on: boolean, over?: Partial<Effect>): Effect;
}

/** A relay in memory that can be told to misbehave, and the effect that switches it. */
export function createTrialRelay({ clock, reception, door }: TrialDoor, target = "relay-1"): TrialRelay {
  let sends = 0;
  let underWay = 0;
  let together = 0;
  const relay: TrialRelay = {
    mood: "obeys",
    on: false,
    delay: millis(0),
    events: [],
    get sends() {
      return sends;
    },
    get together() {
      return together;
    },
    observe: {
      async read() {
        relay.events.push("read");
        return reception.received(relay.on);
      },
      satisfies: () => true,
    },
    effect(on, over = {}) {
      return {
        tool: "switch_relay",
        caller: trialCaller(),
        minimumRole: "operator",
        arguments: { target, on },
        target,
        toward: on ? "live" : "safe",
        confirm: "plain",
        summary: on ? "Switch the relay on." : "Switch the relay off.",
        observer: target,
        observeWith: { on },
        before: relay.on,
        drive: { send: (wire, signal) => send(on, wire, signal) },
        ...over,
      };
    },
  };

  async function send(on: boolean, wire: { firstByte(): void }, signal: AbortSignal): Promise<boolean> {
    if (relay.mood === "unreachable") throw new SteadingError("LINE_DOWN", "The line is down.", { retryable: true });
    wire.firstByte();
    sends += 1;
    underWay += 1;
    together = Math.max(together, underWay);
    relay.events.push(`${on ? "on" : "off"}:start`);
    try {
      if (relay.delay > 0) await clock.sleep(relay.delay);
      return await answer(on, signal);
    } finally {
      underWay -= 1;
      relay.events.push(`${on ? "on" : "off"}:done`);
    }
  }

  async function answer(on: boolean, signal: AbortSignal): Promise<boolean> {
    switch (relay.mood) {
      case "refuses":
        throw new SteadingError("RELAY_REFUSED", "The relay said no.", { details: { refused: true } });
      case "breaks":
        throw new SteadingError("LINE_BROKE", "The line broke.", { retryable: true });
      case "crashes":
        throw new RangeError("secret inside of a driver");
      case "hangs":
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("told to stop")), { once: true });
        });
      case "lies":
        return true;
      default:
        relay.on = on;
        return true;
    }
  }

  door.registerObserver(target, ({ on }) => ({ read: relay.observe.read, satisfies: (value) => value === on }));
  return relay;
}
