import type { BusState } from "./bus-events.ts";

/**
 * Nobody can say how the devices are. A gap of up to a second is none: SYN are missed on healthy buses too. ebusd shows no
 * signal of its own.
 */
export function isOutage({ connected, signal, sourceState }: BusState): boolean {
  return !connected || (signal === "none" && sourceState !== "daemon");
}
