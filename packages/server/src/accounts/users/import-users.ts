import {
  SteadingError,
  type Account,
  type AccountsImported,
  type Caller,
  type Clock,
  type ImportedAccount,
} from "@steading/kernel";
import { accountError } from "../account-errors.ts";
import type { AccountLimits } from "../account-limits.ts";
import type { PasswordHashes } from "../passwords/password-hashes.ts";
import type { AccountRights } from "./account-rights.ts";
import type { AuditedCommit } from "./audited-commit.ts";
import { requireLoginName } from "./login-name.ts";
import { checkRole, shownName, userPuts, type Change } from "./user-changes.ts";
import { SPACES, type UserRecord } from "./user-record.ts";
import { ID_COUNTER, type UserStore } from "./user-store.ts";

/** Takes over the accounts of another system, with the hashes it kept. One commit for all that can be taken. */
export type ImportUsers = (
  by: Caller,
  accounts: readonly ImportedAccount[],
  change?: Change,
) => Promise<AccountsImported>;

export function createImportUsers({
  users,
  hashes,
  rights,
  commit,
  clock,
  limits,
}: {
  readonly users: UserStore;
  readonly hashes: Pick<PasswordHashes, "checkImported">;
  readonly rights: AccountRights;
  readonly commit: AuditedCommit;
  readonly clock: Pick<Clock, "now">;
  readonly limits: AccountLimits;
}): ImportUsers {
  return async (by, accounts, change) => {
    rights.admin(by);
    const present = users.all();
    const names = new Set(present.map(({ name }) => name));
    const ids = new Set(present.map(({ id }) => id));
    const { id: firstFree, revision } = users.nextId();
    // Ids that were given out once stay theirs, also when their accounts are gone.
    let nextFree = Math.max(firstFree, 1 + accounts.reduce((most, { id = 0 }) => Math.max(most, isId(id) ? id : 0), 0));

    function take({ id: wanted, name: given, displayName, role, passwordHash, disabled = false }: ImportedAccount) {
      const name = requireLoginName(given);
      checkRole(role);
      hashes.checkImported(passwordHash);
      if (names.has(name)) throw accountError("NAME_TAKEN", `There is an account ${name} already.`);
      if (names.size >= limits.accounts)
        throw accountError("TOO_MANY_ACCOUNTS", `There are ${limits.accounts} accounts already.`);
      const isFree = wanted !== undefined && isId(wanted) && wanted >= firstFree && !ids.has(wanted);
      const id = isFree ? wanted : nextFree++;
      const now = clock.now();
      const shown = shownName(displayName, name, limits);
      const user: UserRecord = { id, name, displayName: shown, role, disabled, createdAt: now, changedAt: now };
      names.add(name);
      ids.add(id);
      return { user, puts: userPuts(user, { hash: passwordHash, changedAt: now }) };
    }

    const taken: ReturnType<typeof take>[] = [];
    const skipped: { name: string; reason: string }[] = [];
    for (const account of accounts) {
      try {
        taken.push(take(account));
      } catch (error) {
        if (!(error instanceof SteadingError)) throw error;
        skipped.push({ name: account.name.slice(0, 254), reason: error.message });
      }
    }
    if (taken.length > 0) {
      await commit({
        by,
        kind: "user.imported",
        data: {
          users: taken.map(({ user: { id, name, role } }) => ({ user: id, name, role })),
          skipped: skipped.length,
        },
        lines: {
          expect: [{ space: SPACES.counters, key: ID_COUNTER, revision }],
          puts: [...taken.flatMap(({ puts }) => puts), { space: SPACES.counters, key: ID_COUNTER, value: nextFree }],
        },
        beforeCommit: change?.beforeCommit,
      });
    }
    const imported: Account[] = taken.map(({ user }) => users.account(user));
    return { imported, skipped };
  };
}

function isId(id: number): boolean {
  return Number.isSafeInteger(id) && id > 0 && id < 2 ** 31;
}
