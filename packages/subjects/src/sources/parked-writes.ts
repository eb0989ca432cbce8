import type { Change } from "../graph/change.ts";
import type { Subject } from "../instance/subject.ts";

/** A local change on its way to the outside. */
export interface Parked {
  readonly change: Change;
  /** What the source said before any of this. */
  readonly sourceValue: unknown;
  readonly isDiscrete: boolean;
}

/** Writes that wait, oldest first, at most one per property unless every transition matters. */
export interface ParkedWrites {
  readonly size: number;
  readonly dropped: number;
  get(subject: Subject, property: string): Parked | undefined;
  /** Takes the place of an older one of the same property. */
  put(parked: Parked): void;
  remove(subject: Subject, property: string): Parked | undefined;
  /** Empties it. */
  take(): Parked[];
}

/** When `limit` is reached the oldest is given up and counted. */
export function createParkedWrites(limit: number): ParkedWrites {
  let order = new Set<Parked>();
  let index = new Map<Subject, Map<string, Parked>>();
  let dropped = 0;

  function forget(parked: Parked): void {
    order.delete(parked);
    const { subject, property } = parked.change;
    const properties = index.get(subject);
    if (properties?.get(property) !== parked) return;
    properties.delete(property);
    if (properties.size === 0) index.delete(subject);
  }

  return {
    get size() {
      return order.size;
    },
    get dropped() {
      return dropped;
    },
    get: (subject, property) => index.get(subject)?.get(property),
    put(parked) {
      const { subject, property } = parked.change;
      const known = parked.isDiscrete ? undefined : index.get(subject)?.get(property);
      if (known !== undefined) forget(known);
      if (order.size >= limit) {
        const [oldest] = order;
        if (oldest !== undefined) forget(oldest);
        dropped += 1;
      }
      order.add(parked);
      const properties = index.get(subject) ?? new Map<string, Parked>();
      index.set(subject, properties.set(property, parked));
    },
    remove(subject, property) {
      const known = index.get(subject)?.get(property);
      if (known !== undefined) forget(known);
      return known;
    },
    take() {
      const all = [...order];
      order = new Set();
      index = new Map();
      return all;
    },
  };
}
