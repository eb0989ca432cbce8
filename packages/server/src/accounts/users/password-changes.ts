import type { Account, Caller, Clock } from "@steading/kernel";
import { accountError } from "../account-errors.ts";
import type { AccountLimits } from "../account-limits.ts";
import type { LoginJwt } from "../jwt/login-jwt.ts";
import type { LoginThrottle } from "../logins/login-throttle.ts";
import { throttled } from "../logins/throttled.ts";
import type { PasswordHashes } from "../passwords/password-hashes.ts";
import { checkPassword } from "../passwords/password-rules.ts";
import type { AccountRights } from "./account-rights.ts";
import type { AuditedCommit } from "./audited-commit.ts";
import { loginsPut, type Change } from "./user-changes.ts";
import { SPACES, type UserRecord } from "./user-record.ts";
import type { UserStore } from "./user-store.ts";

export interface PasswordChanges {
  /** By an admin. Ends every login. */
  setPassword(by: Caller, name: string, password: string, change?: Change): Promise<Account>;
  /** By the account's owner, who proves it once more. Ends every login but `keep`. */
  changePassword(
    by: Caller,
    wanted: { readonly current: string; readonly password: string; readonly address: string; readonly keep?: string },
    change?: Change,
  ): Promise<Account>;
}

export function createPasswordChanges({
  users,
  hashes,
  jwt,
  throttle,
  rights,
  commit,
  clock,
  limits,
}: {
  readonly users: UserStore;
  readonly hashes: PasswordHashes;
  readonly jwt: LoginJwt;
  readonly throttle: LoginThrottle;
  readonly rights: AccountRights;
  readonly commit: AuditedCommit;
  readonly clock: Pick<Clock, "now">;
  readonly limits: AccountLimits;
}): PasswordChanges {
  async function put(
    by: Caller,
    given: UserRecord,
    password: string,
    keep: string | undefined,
    change: Change | undefined,
  ): Promise<Account> {
    checkPassword(password, given.name, limits);
    const hash = await hashes.hash(password);
    const user = users.byId(given.id);
    if (user === undefined) throw accountError("ACCOUNT_UNKNOWN", `There is no account ${given.name}.`);
    const now = clock.now();
    const { lastAt, logins } = users.logins(user.id);
    await commit({
      by,
      kind: "user.password-changed",
      data: { user: user.id, name: user.name },
      lines: {
        puts: [
          { space: SPACES.passwords, key: String(user.id), value: { hash, changedAt: now } },
          loginsPut(
            user.id,
            lastAt,
            logins.filter(({ id }) => id === keep),
          ),
        ],
      },
      touches: user.name,
      takesAway: users.password(user.id) !== undefined,
      beforeCommit: change?.beforeCommit,
    });
    return users.account(user);
  }

  return {
    async setPassword(by, name, password, change) {
      rights.admin(by);
      return put(by, users.require(name), password, undefined, change);
    },
    async changePassword(by, { current, password, address, keep }, change) {
      const user = users.require(rights.owner(by).principal);
      checkPassword(password, user.name, limits);
      // A stolen token must not become a way to guess the password.
      const attempt = throttle.enter({ name: user.name, address });
      if (attempt.kind === "wait") throw throttled(attempt.ms);
      const proven = await hashes.verify(users.password(user.id)?.record.hash, current).catch((error: unknown) => {
        attempt.withdrawn();
        throw error;
      });
      if (!proven) throw accountError("LOGIN_FAILED", "The current password is another one.");
      attempt.succeeded();
      const kept = keep === undefined ? undefined : await jwt.verify(keep);
      return put(by, user, password, kept?.userId === user.id ? kept.id : undefined, change);
    },
  };
}
