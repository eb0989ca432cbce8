import { millis, seconds, type Cancel, type Clock } from "@steading/kernel";
import type { FarmEvent, FarmEvents } from "../model/farm-events.ts";

/** Why a resource has changed, and what it is about. */
export interface UpdateReason {
  readonly reason: string;
  readonly equipment_id?: number;
  readonly alert_id?: number;
  readonly automation_id?: number;
}

export type UpdateListener = (uri: string, reason: UpdateReason) => void;

export interface ResourceUpdates {
  on(listener: UpdateListener): Cancel;
  stop(): void;
}

export const EQUIPMENT_URI = "sensehub://equipment";
export const AUTOMATIONS_URI = "sensehub://automations";
export const ALERTS_URI = "sensehub://alerts";

/** Of one device's readings a subscriber hears at most once in so long. */
const READING_WINDOW = seconds(30);
const COALESCE = millis(100);

interface Window {
  /** Something came in while it was open. */
  pending: boolean;
  cancel: Cancel;
}

/** Turns what happens on the farm into updates of its three resources, each at its own pace. */
export function createResourceUpdates({
  events,
  clock,
}: {
  readonly events: FarmEvents;
  readonly clock: Clock;
}): ResourceUpdates {
  const listeners = new Set<UpdateListener>();
  const readings = new Map<number, Window>();
  const changes = new Map<number, Window & { reason: string }>();

  function tell(uri: string, reason: UpdateReason): void {
    for (const listener of listeners) listener(uri, reason);
  }

  /** The first at once; those that follow within the window as one, at its end, which opens the next. */
  function reading(id: number): void {
    const open = readings.get(id);
    if (open) {
      open.pending = true;
      return;
    }
    tell(EQUIPMENT_URI, { reason: "reading", equipment_id: id });
    const window: Window = { pending: false, cancel: () => {} };
    window.cancel = clock.timer(READING_WINDOW, () => {
      readings.delete(id);
      if (window.pending) reading(id);
    });
    readings.set(id, window);
  }

  /** The first at once; a burst behind it becomes one. */
  function changed(id: number, reason: string): void {
    const open = changes.get(id);
    if (open) {
      open.pending = true;
      open.reason = reason;
      return;
    }
    tell(EQUIPMENT_URI, { reason, equipment_id: id });
    const window = { pending: false, reason, cancel: () => {} };
    window.cancel = clock.timer(COALESCE, () => {
      changes.delete(id);
      if (window.pending) tell(EQUIPMENT_URI, { reason: window.reason, equipment_id: id });
    });
    changes.set(id, window);
  }

  function hear(event: FarmEvent): void {
    switch (event.kind) {
      case "reading":
        return reading(event.id);
      case "equipment":
        return changed(event.id, event.change);
      case "relay":
        return changed(event.id, "relay");
      case "zone":
        return tell(EQUIPMENT_URI, { reason: "zone" });
      case "alert":
        return event.change === "seen" ? undefined : tell(ALERTS_URI, { reason: event.change, alert_id: event.id });
      case "automation":
        return tell(AUTOMATIONS_URI, { reason: event.change, automation_id: event.id });
      case "template": // its automations tell for themselves
      case "control": // what it did is told by itself
      case "connectivity": // no resource shows it
        return;
    }
  }
  const forget = events.on(hear);

  return {
    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      forget();
      for (const { cancel } of [...readings.values(), ...changes.values()]) cancel();
    },
  };
}
