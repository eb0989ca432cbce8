import type { Cancel, Clock, Duration } from "@steading/kernel";
import { createThinned, type Thinned } from "./thinned.ts";

/** Somebody who wants to hear of changes: a session, a stream, a line. Must not throw and must not wait. */
export interface Listener {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** One call per change, whatever the number of eras and transports behind it. */
export interface FanOut {
  tools(): void;
  prompts(): void;
  resources(): void;
  resource(uri: string): void;
  join(listener: Listener): Cancel;
  close(): void;
}

/** URIs whose pause runs at one time. Beyond it an update goes out unthinned rather than being lost. */
const THINNED_URIS = 10_000;

export function createFanOut({
  clock,
  listChangedEvery,
  resourceUpdatedEvery,
}: {
  readonly clock: Clock;
  readonly listChangedEvery: Duration;
  /** Per class of resource: a sensor may be told less often than an action. */
  resourceUpdatedEvery(uri: string): Duration;
}): FanOut {
  const listeners = new Set<Listener>();
  const pausing = new Map<string, Thinned>();

  function thinnedList(tell: (listener: Listener) => void): Thinned {
    return createThinned({ clock, every: listChangedEvery, say: () => listeners.forEach(tell) });
  }
  const tools = thinnedList((listener) => listener.toolsChanged());
  const prompts = thinnedList((listener) => listener.promptsChanged());
  const resources = thinnedList((listener) => listener.resourcesChanged());

  function tellUpdated(uri: string): void {
    for (const listener of listeners) listener.resourceUpdated(uri);
  }

  return {
    tools: () => tools.ask(),
    prompts: () => prompts.ask(),
    resources: () => resources.ask(),
    resource(uri) {
      const known = pausing.get(uri);
      if (known !== undefined) return known.ask();
      if (pausing.size >= THINNED_URIS) return tellUpdated(uri);
      const thinned = createThinned({
        clock,
        every: resourceUpdatedEvery(uri),
        say: () => tellUpdated(uri),
        idle: () => void pausing.delete(uri),
      });
      pausing.set(uri, thinned);
      thinned.ask();
    },
    join(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      for (const each of [tools, prompts, resources, ...pausing.values()]) each.stop();
      pausing.clear();
      listeners.clear();
    },
  };
}
