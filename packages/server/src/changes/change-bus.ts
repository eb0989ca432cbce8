import type { Cancel, JsonObject } from "@steading/kernel";
import type { TaskView } from "../tasks/task-view.ts";

export type Change =
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string; readonly meta?: JsonObject }
  | { readonly kind: "task"; readonly task: TaskView };

/** Where changes pass on their way to clients. If several processes serve one site, theirs must cross a broker here. */
export interface ChangeBus {
  publish(change: Change): void;
  subscribe(listener: (change: Change) => void): Cancel;
}

/** For one process. */
export function createLocalBus(): ChangeBus {
  const listeners = new Set<(change: Change) => void>();
  return {
    publish(change) {
      for (const listener of listeners) listener(change);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
