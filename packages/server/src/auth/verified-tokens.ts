import { hash } from "node:crypto";
import type { Clock, Duration } from "@steading/kernel";
import type { Authenticated, Authenticator } from "./authenticator.ts";

export interface VerifiedTokens {
  /** Answers at once when the token was verified a moment ago. */
  authenticate(token: string): Authenticated | undefined | Promise<Authenticated | undefined>;
  readonly size: number;
  /** Let go before their time because there was no room. */
  readonly evicted: number;
  close(): void;
}

interface Remembered {
  readonly who: Authenticated;
  /** On the clock that only grows. */
  readonly until: number;
}

/**
 * Remembers who a token stands for, by its SHA-256, so that a call does not pay for its verification. Only successes
 * are kept: remembering failures would let anybody fill the memory. Any change of credentials forgets everything.
 */
export function createVerifiedTokens({
  authenticator,
  clock,
  capacity,
  age,
}: {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly capacity: number;
  readonly age: Duration;
}): VerifiedTokens {
  const remembered = new Map<string, Remembered>();
  let epoch = 0;
  let evicted = 0;
  const forget = authenticator.onChange?.(() => {
    epoch++;
    remembered.clear();
  });

  async function verify(token: string, key: string): Promise<Authenticated | undefined> {
    const startedIn = epoch;
    const who = await authenticator.authenticate(token);
    if (who === undefined || expired(who)) return undefined;
    // A change during the verification may be about this very token: use the answer once, keep nothing.
    if (startedIn === epoch) remember(key, who);
    return who;
  }
  function remember(key: string, who: Authenticated): void {
    if (remembered.size >= capacity) {
      const oldest = remembered.keys().next();
      if (!oldest.done) {
        evicted++;
        remembered.delete(oldest.value);
      }
    }
    remembered.set(key, { who, until: clock.monotonic() + age });
  }
  function expired(who: Authenticated): boolean {
    return who.expiresAt !== undefined && who.expiresAt <= clock.now();
  }

  return {
    authenticate(token) {
      const key = hash("sha256", token, "base64");
      const known = remembered.get(key);
      if (known !== undefined) {
        if (known.until > clock.monotonic() && !expired(known.who)) return known.who;
        remembered.delete(key);
      }
      return verify(token, key);
    },
    get size() {
      return remembered.size;
    },
    get evicted() {
      return evicted;
    },
    close() {
      forget?.();
      remembered.clear();
    },
  };
}
