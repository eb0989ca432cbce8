import type { Cancel } from "@steading/kernel";
import type { Listener, Node } from "./node.ts";
import type { Subject } from "./subject.ts";

/** Several listeners behind one function, so that a slot with one listener, the usual case, costs one pointer. */
interface FanOut extends Listener {
  readonly all: readonly Listener[];
}

export function addListener(node: Node, slot: number, listener: Listener): Cancel {
  const listeners = (node.listeners ??= node.values.map(() => null));
  while (listeners.length <= slot) listeners.push(null);
  listeners[slot] = together(node, slot, [...allOf(listeners[slot] ?? null), listener]);
  node.core?.listenersChanged(node, slot);
  let isOn = true;
  return () => {
    if (isOn) removeListener(node, slot, listener);
    isOn = false;
  };
}

function removeListener(node: Node, slot: number, listener: Listener): void {
  if (node.listeners === null) return;
  const left = [...allOf(node.listeners[slot] ?? null)];
  const at = left.indexOf(listener);
  if (at === -1) return;
  left.splice(at, 1);
  node.listeners[slot] = together(node, slot, left);
  node.core?.listenersChanged(node, slot);
}

function allOf(listener: Listener | null): readonly Listener[] {
  if (listener === null) return [];
  return "all" in listener ? (listener as FanOut).all : [listener];
}

function together(node: Node, slot: number, all: readonly Listener[]): Listener | null {
  const [first] = all;
  if (first === undefined) return null;
  // A user's function that itself has a field `all` is wrapped as well, or it would be taken for one of ours.
  if (all.length === 1 && !("all" in first)) return first;
  const tell = (value: unknown, old: unknown, subject: Subject): void => {
    for (const listener of all) {
      try {
        listener(value, old, subject);
      } catch (error) {
        node.core?.listenerFailed(error, node, slot);
      }
    }
  };
  return Object.assign(tell, { all });
}
