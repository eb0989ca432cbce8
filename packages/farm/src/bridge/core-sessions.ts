import { hash } from "node:crypto";
import {
  deviceText,
  hours,
  isJsonObject,
  ROLES,
  seconds,
  type Authenticated,
  type Cancel,
  type Clock,
  type Json,
  type Log,
} from "@steading/kernel";
import { bridgeError } from "./bridge-errors.ts";
import type { CoreHttp } from "./core-http.ts";
import type { CoreReach } from "./core-reach.ts";
import { toInstant, toText, toWhole } from "./core-values.ts";

/** People with a login of the core. Whether a token is good, the core alone says. */
export interface CoreSessions {
  /** Asks the core each time; whoever calls often remembers the answer for a while, 30 s at most. */
  authenticate(token: string): Promise<Authenticated | undefined>;
  /** Tells that a login has ended or means something else. */
  onChange(listener: (principal?: string) => void): Cancel;
  /** Is this credential one that the bridge gave out? */
  owns(credential: string | undefined): credential is string;
  tokenOf(credential: string): string | undefined;
  /** The core refused the token behind it. */
  ended(credential: string): void;
  /** The login that was seen last, for looking at the core when the bridge has none of its own. */
  readonly newest: string | undefined;
  start(): void;
  stop(): void;
  readonly counters: { readonly known: number; readonly evicted: number; readonly turnedAway: number };
}

interface Session {
  readonly token: string;
  readonly who: Authenticated;
}

const MOST_SESSIONS = 512;
const MOST_CHECKS = 32;
const CHECK_DEADLINE = seconds(5);
/** A login that ends while its streams are open is noticed within this and the time of a check. */
const RECHECK_EVERY = seconds(25);
/** The core's logins last so long when it does not say. */
const USUAL_LIFE = hours(8);

export function createCoreSessions({
  http,
  reach,
  clock,
  log,
}: {
  readonly http: CoreHttp;
  readonly reach: CoreReach;
  readonly clock: Clock;
  readonly log: Log;
}): CoreSessions {
  /** By the token's hash, least recently seen first. */
  const sessions = new Map<string, Session>();
  const checks = new Map<string, Promise<Authenticated | undefined>>();
  const listeners = new Set<(principal?: string) => void>();
  let evicted = 0;
  let turnedAway = 0;
  let cancel: Cancel | undefined;

  function forget(key: string): void {
    const session = sessions.get(key);
    if (!session || !sessions.delete(key)) return;
    for (const listener of listeners) listener(session.who.principal);
  }

  function remember(key: string, session: Session): void {
    sessions.delete(key);
    sessions.set(key, session);
    for (const oldest of sessions.keys()) {
      if (sessions.size <= MOST_SESSIONS) break;
      evicted += 1;
      forget(oldest);
    }
  }

  async function check(key: string, token: string): Promise<Authenticated | undefined> {
    const request = {
      method: "GET",
      path: "/api/auth/session",
      token,
      until: clock.monotonic() + CHECK_DEADLINE,
    } as const;
    const answer = await http.ask(request).catch((error: unknown) => {
      reach.failed(error);
      throw bridgeError("ISSUER_UNREACHABLE", "The core that issued the token cannot be asked at present.", {
        cause: error,
      });
    });
    if (answer.status === 401 || answer.status === 403) {
      reach.answered();
      forget(key);
      return undefined;
    }
    const who = answer.status === 200 ? personFrom(answer.body, key, clock.now()) : undefined;
    if (!who) throw bridgeError("ISSUER_UNREACHABLE", `The core answered ${answer.status} and not who this is.`);
    reach.answered();
    const before = sessions.get(key)?.who;
    if (who.expiresAt <= clock.now()) {
      forget(key);
      return undefined;
    }
    if (before && (before.principal !== who.principal || before.role !== who.role)) forget(key);
    remember(key, { token, who });
    return who;
  }

  async function recheck(): Promise<void> {
    for (const [key, { token, who }] of [...sessions]) {
      if (cancel === undefined) return;
      if ((who.expiresAt ?? 0) <= clock.now()) forget(key);
      else {
        // A core that cannot be asked has not refused anybody; the rest would not get another answer.
        const asked = await ask(key, token).then(
          () => true,
          () => false,
        );
        if (!asked) return;
      }
    }
  }

  function ask(key: string, token: string): Promise<Authenticated | undefined> {
    const running = checks.get(key);
    if (running) return running;
    if (checks.size >= MOST_CHECKS) {
      turnedAway += 1;
      return Promise.reject(bridgeError("ISSUER_UNREACHABLE", "Too many tokens are being checked at once."));
    }
    const started = check(key, token).finally(() => checks.delete(key));
    checks.set(key, started);
    return started;
  }

  function tick(): void {
    cancel = clock.timer(RECHECK_EVERY, () => {
      recheck()
        .catch((error: unknown) => log.error("Logins could not be checked again.", error))
        .finally(() => {
          if (cancel !== undefined) tick();
        });
    });
  }

  return {
    authenticate: (token) => ask(hash("sha256", token, "base64url"), token),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    owns: (credential): credential is string => CREDENTIAL.test(credential ?? ""),
    tokenOf(credential) {
      const session = sessions.get(keyOf(credential));
      return session && (session.who.expiresAt ?? 0) > clock.now() ? session.token : undefined;
    },
    ended: (credential) => forget(keyOf(credential)),
    get newest() {
      const last = [...sessions.values()].at(-1);
      return last?.who.credential;
    },
    start() {
      if (cancel === undefined) tick();
    },
    stop() {
      cancel?.();
      cancel = undefined;
      sessions.clear();
    },
    get counters() {
      return { known: sessions.size, evicted, turnedAway };
    },
  };
}

/**
 * `issuer:<end>:<hash of the token>`: the hub's accounts know the first two as somebody else's login that stands until
 * its end, and the bridge finds the token by the third.
 */
const CREDENTIAL = /^issuer:\d+:[\w-]{43}$/;

function keyOf(credential: string): string {
  return credential.split(":")[2] ?? "";
}

function personFrom(
  body: Json | undefined,
  key: string,
  now: number,
): (Authenticated & { readonly expiresAt: number }) | undefined {
  const user = isJsonObject(body) ? body["user"] : undefined;
  if (!isJsonObject(body) || !isJsonObject(user)) return undefined;
  const email = deviceText(toText(user["email"]) ?? "", 254).toLowerCase();
  const id = toWhole(user["id"]);
  if (email === "" && id === undefined) return undefined;
  const expiresAt = toInstant(body["expiresAt"]) ?? now + USUAL_LIFE;
  return {
    // With a colon in it no account of the hub has this name: the two can never be taken for each other.
    principal: `sensehub:${email === "" ? `#${id}` : email}`,
    role: ROLES.find((role) => role === user["role"]) ?? "viewer",
    expiresAt,
    credential: `issuer:${expiresAt}:${key}`,
  };
}
