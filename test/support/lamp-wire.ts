import type { Lamp, LampState } from "@steading/sim";

/** The switch commands that reached the lamp's wire from an earlier point on, in order, carried out or not. */
export function switchesSince(lamp: Lamp, mark: number): LampState[] {
  if (lamp.wireDropped > mark) throw new Error("The lamp's wire log has dropped lines that this test counts.");
  return lamp.wire.flatMap(({ order, request }) => (order > mark && request.kind === "switch" ? [request.to] : []));
}

/** A point in the lamp's wire log. */
export function wireMark(lamp: Lamp): number {
  return lamp.wireDropped + lamp.wire.length;
}
