import { randomUUID } from "node:crypto";
import { millis, type Caller, type Clock, type Duration, type Login, type LoginAttempt } from "@steading/kernel";
import { accountError } from "../account-errors.ts";
import type { AccountLimits } from "../account-limits.ts";
import type { LoginJwt } from "../jwt/login-jwt.ts";
import type { PasswordHashes } from "../passwords/password-hashes.ts";
import type { AuditedCommit } from "../users/audited-commit.ts";
import { readLoginName } from "../users/login-name.ts";
import { loginsPut } from "../users/user-changes.ts";
import { SPACES, type LoginsRecord, type UserRecord } from "../users/user-record.ts";
import type { UserStore } from "../users/user-store.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { throttled } from "./throttled.ts";

/** Names and passwords in, logins out. */
export interface Logins {
  login(attempt: LoginAttempt): Promise<Login & { readonly token: string }>;
  /** Whose login a token stands for; undefined when it ended, or the account with it. */
  userOf(
    token: string,
  ): Promise<{ readonly user: UserRecord; readonly id: string; readonly expiresAt: number } | undefined>;
  logout(token: string): Promise<boolean>;
  readonly counters: { readonly succeeded: number; readonly failed: number; readonly rehashed: number };
}

export function createLogins({
  users,
  hashes,
  jwt,
  throttle,
  commit,
  clock,
  limits,
}: {
  readonly users: UserStore;
  readonly hashes: PasswordHashes;
  readonly jwt: LoginJwt;
  readonly throttle: LoginThrottle;
  readonly commit: AuditedCommit;
  readonly clock: Clock;
  readonly limits: AccountLimits;
}): Logins {
  const counters = { succeeded: 0, failed: 0, rehashed: 0 };

  interface Proven {
    readonly user: UserRecord;
    /** Of the password that was proven. */
    readonly revision: number;
    /** A hash to put in place of an old one. */
    readonly better: string | undefined;
  }

  /** Does the same work for everybody, whether there is such an account or not. */
  async function prove(name: string | undefined, password: string): Promise<Proven | undefined> {
    const user = name === undefined ? undefined : users.byName(name);
    const stored = user === undefined ? undefined : users.password(user.id);
    const matches = await hashes.verify(stored?.record.hash, password);
    if (!matches || user === undefined || stored === undefined) return undefined;
    const better = hashes.isOld(stored.record.hash) ? await hashes.hash(password) : undefined;
    return { user, revision: stored.revision, better };
  }

  /** While the hash was computed the account may have been disabled, or got another password. */
  function stillStands({ user, revision }: Proven): boolean {
    return users.byId(user.id)?.disabled === false && users.password(user.id)?.revision === revision;
  }

  async function open(
    { user, better }: Proven,
    address: string,
    { validFor, tokenFor }: { readonly validFor: Duration; readonly tokenFor?: Duration | undefined },
  ): Promise<Login & { token: string }> {
    const at = clock.now();
    // Whole seconds, as a JWT has them, so that row and token end together.
    const expiresAt = Math.floor((at + Math.min(validFor, limits.longestLogin)) / 1_000) * 1_000;
    const id = randomUUID();
    const standing = users.logins(user.id).logins.filter((each) => each.expiresAt > at);
    const kept = standing.slice(Math.max(0, standing.length + 1 - limits.loginsPerAccount));
    await commit({
      by: themselves(user),
      kind: "user.logged-in",
      data: { user: user.id, name: user.name, address, ...(better === undefined ? {} : { rehashed: true }) },
      lines: {
        puts: [
          loginsPut(user.id, at, [...kept, { id, at, expiresAt }]),
          ...(better === undefined
            ? []
            : [{ space: SPACES.passwords, key: String(user.id), value: { hash: better, changedAt: at } }]),
        ],
      },
      // The oldest login gave way to this one.
      ...(kept.length < standing.length ? { touches: user.name } : {}),
    });
    counters.succeeded++;
    if (better !== undefined) counters.rehashed++;
    // A token that says a later end is still no good once the login is over.
    const saysUntil = tokenFor === undefined ? expiresAt : Math.floor((at + tokenFor) / 1_000) * 1_000;
    const token = await jwt.sign({ userId: user.id, id, at, expiresAt: saysUntil });
    return { token, account: users.account(user), expiresAt };
  }

  async function fail(since: number): Promise<never> {
    counters.failed++;
    const left = since + limits.failureAnswer - clock.monotonic();
    if (left > 0) await clock.sleep(millis(left));
    throw accountError("LOGIN_FAILED", "The name or the password is wrong.");
  }

  function find(token: { userId: number; id: string } | undefined) {
    const user = token === undefined ? undefined : users.byId(token.userId);
    if (token === undefined || user === undefined) return undefined;
    const record = users.logins(user.id);
    const login = record.logins.find(({ id }) => id === token.id);
    return login === undefined ? undefined : { user, record, login };
  }

  return {
    async login({ name: given, password, address, validFor = limits.loginAge, tokenFor }) {
      const since = clock.monotonic();
      const name = readLoginName(given);
      // What is no name cannot be guessed at, but it must not be a free way to try either.
      const attempt = throttle.enter({ name: name ?? `not a name: ${given.slice(0, 64)}`, address });
      if (attempt.kind === "wait") throw throttled(attempt.ms);
      const proven = await prove(name, password).catch((error: unknown) => {
        attempt.withdrawn();
        throw error;
      });
      if (proven === undefined || !stillStands(proven)) return fail(since);
      attempt.succeeded();
      return open(proven, address, { validFor, tokenFor });
    },
    async userOf(token) {
      const found = find(await jwt.verify(token));
      if (found === undefined || found.user.disabled || found.login.expiresAt <= clock.now()) return undefined;
      return { user: found.user, id: found.login.id, expiresAt: found.login.expiresAt };
    },
    async logout(token) {
      const found = find(await jwt.verify(token));
      if (found === undefined) return false;
      const { user, record, login } = found;
      await commit({
        by: themselves(user),
        kind: "user.logged-out",
        data: { user: user.id, name: user.name },
        lines: { puts: [loginsPut(user.id, record.lastAt, without(record, login.id))] },
        touches: user.name,
        takesAway: true,
      });
      return true;
    },
    counters,
  };
}

function themselves({ name, role }: UserRecord): Caller {
  return { principal: name, role, transport: "internal", correlation: randomUUID() };
}

function without({ logins }: LoginsRecord, gone: string): LoginsRecord["logins"] {
  return logins.filter(({ id }) => id !== gone);
}
