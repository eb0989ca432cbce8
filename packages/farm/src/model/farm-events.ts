import type { Cancel, JsonObject, Log } from "@steading/kernel";

/** What happened on the farm. Views of it: resource updates, tool descriptions, the WebSocket. */
export type FarmEvent =
  | {
      readonly kind: "equipment";
      readonly change: "created" | "updated" | "deleted" | "calibrated" | "status" | "error";
      readonly id: number;
    }
  | { readonly kind: "relay"; readonly id: number; readonly data: JsonObject }
  /** Somebody controlled equipment as a whole; what that did to its channels is told by `relay`. */
  | { readonly kind: "control"; readonly id: number; readonly data: JsonObject }
  | { readonly kind: "connectivity"; readonly data: JsonObject }
  | { readonly kind: "template"; readonly id: number; readonly data: JsonObject }
  | {
      readonly kind: "reading";
      readonly id: number;
      readonly readings: readonly {
        readonly name: string;
        readonly value: number;
        readonly unit: string;
        readonly at: number;
      }[];
    }
  | { readonly kind: "zone"; readonly id: number }
  | { readonly kind: "alert"; readonly change: "created" | "acknowledged" | "cleared" | "seen"; readonly id: number }
  | {
      readonly kind: "automation";
      readonly change: "created" | "updated" | "deleted" | "enabled" | "disabled" | "started" | "ended";
      readonly id: number;
      readonly data?: JsonObject;
    };

export interface FarmEvents {
  emit(event: FarmEvent): void;
  on(listener: (event: FarmEvent) => void): Cancel;
}

export function createFarmEvents({ log }: { readonly log: Log }): FarmEvents {
  const listeners = new Set<(event: FarmEvent) => void>();
  return {
    emit(event) {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          log.error("A listener of the farm's events failed.", error, { kind: event.kind });
        }
      }
    },
    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
