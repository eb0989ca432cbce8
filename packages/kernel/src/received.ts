import type { Json } from "./json.ts";

declare const receivedBrand: unique symbol;

/**
 * A value that has just come off a wire. Only `Reception.received` makes one, and a driver calls that where bytes are
 * decoded; so a value from a cache, a model or a request can never be passed off as what the device said.
 */
export interface Received<T extends Json = Json> {
  readonly value: T;
  /** Epoch milliseconds of arrival. */
  readonly at: number;
  /** Position in the order of everything this hub received and sent. */
  readonly stamp: number;
  readonly [receivedBrand]: true;
}

/** Puts sends, acknowledgements and arrivals into one order, which wall-clock time cannot do. */
export interface Reception {
  received<T extends Json>(value: T): Received<T>;
  /** A point in that order: what is received later has a greater stamp. */
  mark(): number;
}

/** Arrivals made by a reception; a look-alike object is not among them. */
const genuineArrivals = new WeakSet<object>();

export function isReceived(value: unknown): value is Received {
  return typeof value === "object" && value !== null && genuineArrivals.has(value);
}

export function createReception(clock: { now(): number }): Reception {
  let last = 0;
  return {
    received<T extends Json>(value: T) {
      const arrival = { value, at: clock.now(), stamp: ++last } as Received<T>; // the brand exists only in types
      genuineArrivals.add(arrival);
      return arrival;
    },
    mark: () => ++last,
  };
}
