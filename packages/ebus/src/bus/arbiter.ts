import type { Clock } from "@steading/kernel";
import { isInitiator } from "../wire/addresses.ts";
import { COLLISION_PAUSE, LATE_ANSWER_GUARD } from "./timing.ts";

const LOCK_AFTER_WINNER = 2;
const LOCK_AFTER_GARBAGE = 1;
const LOCK_AFTER_TIMEOUT = 2;

/** When we may ask for the bus again. Counted in SYN that must pass, and in time. */
export interface Arbiter {
  readonly free: boolean;
  /** A SYN was heard. True when the bus may be asked for at this one. */
  onSyn(): boolean;
  /** Lost with `source` against `winner`; undefined when no verdict came. */
  onLost(source: number, winner: number | undefined): void;
  /** A telegram of ours was not answered. `known`: the target has answered before, so its answer may still come. */
  onTimeout(known: boolean): void;
}

export function createArbiter({ clock }: { readonly clock: Clock }): Arbiter {
  let locks = 0;
  let notBefore = 0;
  const free = (): boolean => locks === 0 && clock.monotonic() >= notBefore;

  return {
    get free() {
      return free();
    },
    onSyn() {
      if (free()) return true;
      if (locks > 0) locks -= 1;
      return false;
    },
    onLost(source, winner) {
      const valid = winner !== undefined && isInitiator(winner);
      // Of one class: the winner has had its turn, and the next SYN decides between the others.
      if (valid && (winner & 0x0f) === (source & 0x0f)) return;
      locks = valid ? LOCK_AFTER_WINNER : LOCK_AFTER_GARBAGE;
      notBefore = clock.monotonic() + COLLISION_PAUSE;
    },
    onTimeout(known) {
      locks = LOCK_AFTER_TIMEOUT;
      if (known) notBefore = clock.monotonic() + LATE_ANSWER_GUARD;
    },
  };
}
