import { millis, seconds, type Cancel, type Clock } from "@steading/kernel";
import type { Identity } from "../eras/identity.ts";
import type { Authenticated, Authenticator } from "./authenticator.ts";

/** Ends long-lived streams together with the credential they were opened with. */
export interface StreamGuard {
  /** `end` is called once, when the credential expires, is revoked or comes to mean somebody else. */
  hold(stream: { readonly identity: Identity; readonly token: string | undefined; end(): void }): Cancel;
  close(): void;
}

/** Timers reach no further than this; a later expiry is looked at again then. */
const FURTHEST_MS = 2 ** 31 - 1;

/**
 * Not every authenticator hears of a token's end: it may be ended where it was issued. What is asked is up to half a
 * minute old, and a stream must not outlive its token by more than a minute.
 */
const RECHECK_EVERY = seconds(25);

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
  let nextLook: Cancel | undefined;
  let closed = false;
  const stopWatching = authenticator.onChange?.((principal) => {
    for (const stream of [...held]) {
      if (principal === undefined || stream.identity.principal === principal) void recheck(stream);
    }
  });

  async function recheck(stream: Held): Promise<void> {
    // Who cannot be checked is treated as revoked: a stream is quickly opened again.
    endUnlessStill(stream, await authenticator.authenticate(stream.token).catch(() => undefined));
  }

  function endUnlessStill(stream: Held, who: Authenticated | undefined): void {
    const { principal, role } = stream.identity;
    if (held.has(stream) && (who?.principal !== principal || who.role !== role)) stream.end();
  }

  /** Asks once for each token, however many streams it opened. */
  async function lookAgain(): Promise<void> {
    const streams = new Map<string, Held[]>();
    for (const stream of held) streams.set(stream.token, [...(streams.get(stream.token) ?? []), stream]);
    const looks = [...streams].map(async ([token, opened]) => {
      // Nothing changed that we know of: an issuer out of reach leaves the streams as they are.
      const answer = await authenticator.authenticate(token).then(
        (who) => ({ who }),
        () => undefined,
      );
      if (answer !== undefined) for (const stream of opened) endUnlessStill(stream, answer.who);
    });
    await Promise.all(looks);
    nextLook = undefined;
    lookLater();
  }

  function lookLater(): void {
    if (held.size > 0 && !closed) nextLook ??= clock.timer(RECHECK_EVERY, () => void lookAgain());
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
      if (stream !== undefined) {
        held.add(stream);
        lookLater();
      }
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
      closed = true;
      stopWatching?.();
      nextLook?.();
      held.clear();
    },
  };
}
