import type { Cancel, Clock, Duration, JsonObject } from "@steading/kernel";
import type { TaskView } from "../tasks/task-view.ts";
import { createLocalBus, type Change, type ChangeBus } from "./change-bus.ts";
import { createThinned, type Thinned } from "./thinned.ts";

/** Somebody who wants to hear of changes: a session, a stream, a line. Must not throw and must not wait. */
export interface Listener {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string, meta?: JsonObject): void;
  taskChanged?(task: TaskView): void;
}

/** One call per change, whatever the number of eras and transports behind it. */
export interface FanOut {
  tools(): void;
  prompts(): void;
  resources(): void;
  /** `meta` says why. Of changes that become one notice the last one's is told. */
  resource(uri: string, meta?: JsonObject): void;
  task(task: TaskView): void;
  join(listener: Listener): Cancel;
  close(): void;
}

/** URIs whose pause runs at one time. Beyond it an update goes out unthinned rather than being lost. */
const THINNED_URIS = 10_000;

export function createFanOut({
  clock,
  listChangedEvery,
  resourceUpdatedEvery,
  bus = createLocalBus(),
}: {
  readonly clock: Clock;
  readonly listChangedEvery: Duration;
  /** Per class of resource: a sensor may be told less often than an action. 0: each change is told. */
  resourceUpdatedEvery(uri: string): Duration;
  readonly bus?: ChangeBus;
}): FanOut {
  const listeners = new Set<Listener>();
  const pausing = new Map<string, { readonly thinned: Thinned; meta: JsonObject | undefined }>();

  const leaveBus = bus.subscribe((change) => {
    for (const listener of listeners) tell(listener, change);
  });

  function thinnedList(kind: "tools" | "prompts" | "resources"): Thinned {
    return createThinned({ clock, every: listChangedEvery, say: () => bus.publish({ kind }) });
  }
  const tools = thinnedList("tools");
  const prompts = thinnedList("prompts");
  const resources = thinnedList("resources");

  function publish(uri: string, meta: JsonObject | undefined): void {
    bus.publish({ kind: "resource", uri, ...(meta === undefined ? {} : { meta }) });
  }

  return {
    tools: () => tools.ask(),
    prompts: () => prompts.ask(),
    resources: () => resources.ask(),
    resource(uri, meta) {
      const known = pausing.get(uri);
      if (known !== undefined) {
        known.meta = meta;
        return known.thinned.ask();
      }
      const every = resourceUpdatedEvery(uri);
      if (every <= 0 || pausing.size >= THINNED_URIS) return publish(uri, meta);
      const entry = {
        meta,
        thinned: createThinned({
          clock,
          every,
          say: () => publish(uri, entry.meta),
          idle: () => void pausing.delete(uri),
        }),
      };
      pausing.set(uri, entry);
      entry.thinned.ask();
    },
    task: (task) => bus.publish({ kind: "task", task }),
    join(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      for (const each of [tools, prompts, resources, ...[...pausing.values()].map(({ thinned }) => thinned)])
        each.stop();
      pausing.clear();
      leaveBus();
      listeners.clear();
    },
  };
}

function tell(listener: Listener, change: Change): void {
  switch (change.kind) {
    case "tools":
      return listener.toolsChanged();
    case "prompts":
      return listener.promptsChanged();
    case "resources":
      return listener.resourcesChanged();
    case "resource":
      return listener.resourceUpdated(change.uri, change.meta);
    case "task":
      return listener.taskChanged?.(change.task);
  }
}
