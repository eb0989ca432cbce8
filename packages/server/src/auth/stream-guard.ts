import { millis, type Cancel, type Clock } from "@steading/kernel";
import type { Identity } from "../eras/identity.ts";
import type { Authenticator } from "./authenticator.ts";

/** Ends long-lived streams together with the credential they were opened with. */
export interface StreamGuard {
  /** `end` is called once, when the credential expires, is revoked or comes to mean somebody else. */
  hold(stream: { readonly identity: Identity; readonly token: string | undefined; end(): void }): Cancel;
  close(): void;
}

/** Timers reach no further than this; a later expiry is looked at again then. */
const FURTHEST_MS = 2 ** 31 - 1;

export function createStreamGuard({
  authenticator,
  clock,
}: {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
}): StreamGuard {
  interface Held {
    readonly identity: Identity;
    readonly token: string;
    readonly end: () => void;
  }
  const held = new Set<Held>();
  const stopWatching = authenticator.onChange?.((principal) => {
    for (const stream of [...held]) {
      if (principal === undefined || stream.identity.principal === principal) void recheck(stream);
    }
  });

  async function recheck(stream: Held): Promise<void> {
    // Who cannot be checked is treated as revoked: a stream is quickly opened again.
    const who = await authenticator.authenticate(stream.token).catch(() => undefined);
    const { principal, role } = stream.identity;
    if (held.has(stream) && (who?.principal !== principal || who.role !== role)) stream.end();
  }

  function timeExpiry(expiresAt: number, end: () => void): Cancel {
    let cancel: Cancel;
    const wait = (): void => {
      const left = expiresAt - clock.now();
      cancel = clock.timer(millis(Math.min(Math.max(0, left), FURTHEST_MS)), left > FURTHEST_MS ? wait : end);
    };
    wait();
    return () => cancel();
  }

  return {
    hold({ identity, token, end }) {
      let over = false;
      const stream = token === undefined ? undefined : { identity, token, end: finish };
      if (stream !== undefined) held.add(stream);
      const expiry = identity.expiresAt === undefined ? undefined : timeExpiry(identity.expiresAt, finish);
      function letGo(): void {
        over = true;
        expiry?.();
        if (stream !== undefined) held.delete(stream);
      }
      function finish(): void {
        if (over) return;
        letGo();
        end();
      }
      return letGo;
    },
    close() {
      stopWatching?.();
      held.clear();
    },
  };
}
