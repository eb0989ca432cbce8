import { minutes, seconds, type Clock } from "@steading/kernel";
import { addressGroup } from "./client-address.ts";
import { createThrottleTable, type ThrottleRules } from "./throttle-table.ts";

export interface LoginThrottle {
  /** Either the wait in milliseconds, or a try that counts as failed until it is said to have succeeded. */
  enter(attempt: {
    readonly name: string;
    readonly address: string;
  }): { readonly kind: "wait"; readonly ms: number } | ({ readonly kind: "try" } & LoginTry);
  readonly size: number;
  readonly evicted: number;
  readonly refused: number;
}
export interface LoginTry {
  succeeded(): void;
  /** The password was not even looked at. */
  withdrawn(): void;
}

/** One name from one address: somebody who has forgotten a password, or somebody who guesses it. */
const PAIR: ThrottleRules = { free: 5, first: seconds(30), longest: minutes(15), forgetAfter: minutes(15) };
/** One address, many names. Behind one address there may be a whole farm. */
const ADDRESS: ThrottleRules = { free: 30, first: seconds(5), longest: minutes(15), forgetAfter: minutes(15) };
/** One name, many addresses. Short waits, because it is the owner who suffers from them. */
const NAME: ThrottleRules = { free: 50, first: seconds(1), longest: minutes(1), forgetAfter: minutes(15) };

export function createLoginThrottle({
  clock,
  capacity,
}: {
  readonly clock: Pick<Clock, "monotonic">;
  readonly capacity: number;
}): LoginThrottle {
  const pairs = createThrottleTable({ ...PAIR, clock, capacity });
  const addresses = createThrottleTable({ ...ADDRESS, clock, capacity });
  const names = createThrottleTable({ ...NAME, clock, capacity });
  /**
   * Where a name has logged in before. There only its own failures count: neither guessing from elsewhere nor guessing
   * at others from the same address slows its owner down.
   */
  const familiar = new Set<string>();
  let refused = 0;
  let forgotten = 0;

  function becomeFamiliar(pair: string): void {
    familiar.delete(pair);
    if (familiar.size >= capacity) {
      const oldest = familiar.values().next();
      if (oldest.done !== true) {
        forgotten++;
        familiar.delete(oldest.value);
      }
    }
    familiar.add(pair);
  }

  return {
    enter({ name, address }) {
      const from = addressGroup(address);
      const pair = JSON.stringify([name, from]);
      const isFamiliar = familiar.has(pair);
      const ms = Math.max(pairs.wait(pair), isFamiliar ? 0 : Math.max(addresses.wait(from), names.wait(name)));
      if (ms > 0) {
        refused++;
        return { kind: "wait", ms };
      }
      const charges = [pairs.charge(pair), addresses.charge(from), ...(isFamiliar ? [] : [names.charge(name)])];
      const undo = (): void => {
        for (const charge of charges.splice(0)) charge.undo();
      };
      return {
        kind: "try",
        withdrawn: undo,
        succeeded() {
          undo();
          // Earlier failures of the address stay: one good account must not be a way to try all the others.
          pairs.clear(pair);
          becomeFamiliar(pair);
        },
      };
    },
    get size() {
      return pairs.size + addresses.size + names.size + familiar.size;
    },
    get evicted() {
      return pairs.evicted + addresses.evicted + names.evicted + forgotten;
    },
    get refused() {
      return refused;
    },
  };
}
