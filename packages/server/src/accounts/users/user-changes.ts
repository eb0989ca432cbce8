import {
  deviceText,
  ROLES,
  type Account,
  type AccountUpdate,
  type Caller,
  type Clock,
  type NewAccount,
  type Role,
} from "@steading/kernel";
import { accountError } from "../account-errors.ts";
import type { AccountLimits } from "../account-limits.ts";
import type { AccessTokens } from "../../auth/access-tokens.ts";
import type { PasswordHashes } from "../passwords/password-hashes.ts";
import { checkPassword } from "../passwords/password-rules.ts";
import type { AccountRights } from "./account-rights.ts";
import type { AuditedCommit } from "./audited-commit.ts";
import { requireLoginName } from "./login-name.ts";
import { takesAway } from "./takes-away.ts";
import { SPACES, type PasswordRecord, type UserRecord } from "./user-record.ts";
import { ID_COUNTER, type UserStore } from "./user-store.ts";

/** The moment of no return, for a door that wants to know it. */
export interface Change {
  beforeCommit?(): void;
}

/** Users as rows of the ledger. Between looking and committing nothing is awaited, so no other change comes between. */
export interface UserChanges {
  create(by: Caller, wanted: NewAccount, change?: Change): Promise<Account>;
  update(by: Caller, name: string, update: AccountUpdate, change?: Change): Promise<Account>;
  endLogins(by: Caller, name: string, change?: Change): Promise<Account>;
  remove(by: Caller, name: string, change?: Change): Promise<Account>;
}

export function createUserChanges({
  users,
  tokens,
  hashes,
  rights,
  commit,
  clock,
  limits,
}: {
  readonly users: UserStore;
  readonly tokens: Pick<AccessTokens, "deletesOf">;
  readonly hashes: PasswordHashes;
  readonly rights: AccountRights;
  readonly commit: AuditedCommit;
  readonly clock: Pick<Clock, "now">;
  readonly limits: AccountLimits;
}): UserChanges {
  return {
    async create(by, { name: given, displayName, role, password }, change) {
      rights.admin(by);
      const name = requireLoginName(given);
      checkRole(role);
      if (password !== undefined) checkPassword(password, name, limits);
      const hash = password === undefined ? undefined : await hashes.hash(password);
      const now = clock.now();
      if (users.byName(name) !== undefined) throw accountError("NAME_TAKEN", `There is an account ${name} already.`);
      if (users.all().length >= limits.accounts)
        throw accountError("TOO_MANY_ACCOUNTS", `There are ${limits.accounts} accounts already.`);
      const { id, revision } = users.nextId();
      const user: UserRecord = {
        id,
        name,
        displayName: shownName(displayName, name, limits),
        role,
        disabled: false,
        createdAt: now,
        changedAt: now,
      };
      await commit({
        by,
        kind: "user.created",
        data: { user: id, name, role },
        lines: {
          expect: [
            { space: SPACES.names, key: name, revision: 0 },
            { space: SPACES.counters, key: ID_COUNTER, revision },
          ],
          puts: [
            ...userPuts(user, hash === undefined ? undefined : { hash, changedAt: now }),
            { space: SPACES.counters, key: ID_COUNTER, value: id + 1 },
          ],
        },
        beforeCommit: change?.beforeCommit,
      });
      return users.account(user);
    },

    async update(by, name, update, change) {
      rights.admin(by);
      if (update.role !== undefined) checkRole(update.role);
      const user = users.require(name);
      const { displayName = user.displayName, role = user.role, disabled = user.disabled } = update;
      if (role !== "admin" || disabled) users.keepAnAdmin(user);
      const changed: UserRecord = {
        ...user,
        displayName: shownName(displayName, user.name, limits),
        role,
        disabled,
        changedAt: clock.now(),
      };
      const key = String(user.id);
      await commit({
        by,
        kind: "user.changed",
        data: { user: user.id, name: user.name, role, disabled, before: { role: user.role, disabled: user.disabled } },
        lines: {
          puts: [{ space: SPACES.users, key, value: changed }],
          // Logins do not come back with the account.
          ...(disabled ? { deletes: [{ space: SPACES.logins, key }] } : {}),
        },
        ...(role !== user.role || disabled !== user.disabled ? { touches: user.name } : {}),
        takesAway: takesAway(user, update),
        beforeCommit: change?.beforeCommit,
      });
      return users.account(changed);
    },

    async endLogins(by, name, change) {
      const user = users.require(name);
      rights.ownerOrAdmin(by, user.name);
      const { lastAt } = users.logins(user.id);
      await commit({
        by,
        kind: "user.logins-ended",
        data: { user: user.id, name: user.name },
        lines: { puts: [loginsPut(user.id, lastAt)] },
        touches: user.name,
        takesAway: true,
        beforeCommit: change?.beforeCommit,
      });
      return users.account(user);
    },

    async remove(by, name, change) {
      rights.admin(by);
      const user = users.require(name);
      users.keepAnAdmin(user);
      const account = users.account(user);
      const key = String(user.id);
      await commit({
        by,
        kind: "user.deleted",
        data: { user: user.id, name: user.name, role: user.role },
        lines: {
          deletes: [
            { space: SPACES.users, key },
            { space: SPACES.names, key: user.name },
            { space: SPACES.passwords, key },
            { space: SPACES.logins, key },
            ...tokens.deletesOf(user.name),
          ],
        },
        touches: user.name,
        takesAway: true,
        beforeCommit: change?.beforeCommit,
      });
      return account;
    },
  };
}

/** The rows of a user that did not exist before. */
export function userPuts(user: UserRecord, password: PasswordRecord | undefined) {
  const key = String(user.id);
  return [
    { space: SPACES.users, key, value: user },
    { space: SPACES.names, key: user.name, value: user.id },
    ...(password === undefined ? [] : [{ space: SPACES.passwords, key, value: password }]),
  ];
}

export function loginsPut(
  id: number,
  lastAt: number | undefined,
  logins: { id: string; at: number; expiresAt: number }[] = [],
) {
  return { space: SPACES.logins, key: String(id), value: { ...(lastAt === undefined ? {} : { lastAt }), logins } };
}

export function checkRole(role: Role): void {
  if (!ROLES.includes(role)) throw accountError("ROLE_REFUSED", "There is no such role.");
}

export function shownName(
  given: string | undefined,
  name: string,
  limits: Pick<AccountLimits, "displayNameCharacters">,
) {
  return deviceText(given ?? "", limits.displayNameCharacters) || name;
}
