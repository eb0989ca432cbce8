import type { Account, Ledger } from "@steading/kernel";
import * as z from "zod";
import { accountError } from "../account-errors.ts";
import { readLoginName } from "./login-name.ts";
import { LoginsRecord, PasswordRecord, readRow, SPACES, toAccount, UserRecord } from "./user-record.ts";

/** What is on record about users. Point reads only; nothing here changes anything. */
export interface UserStore {
  byId(id: number): UserRecord | undefined;
  byName(name: string): UserRecord | undefined;
  /** Throws ACCOUNT_UNKNOWN. */
  require(name: string): UserRecord;
  all(): readonly UserRecord[];
  password(id: number): { readonly record: PasswordRecord; readonly revision: number } | undefined;
  logins(id: number): LoginsRecord;
  account(user: UserRecord): Account;
  /** The next id that nobody ever had, and the revision of its counter. */
  nextId(): { readonly id: number; readonly revision: number };
  /** Throws LAST_ADMIN when nobody would be left who may change accounts. */
  keepAnAdmin(without: UserRecord): void;
}

const NO_LOGINS: LoginsRecord = { logins: [] };
export const ID_COUNTER = "next-id";

export function createUserStore(ledger: Ledger): UserStore {
  function byId(id: number): UserRecord | undefined {
    return readRow(UserRecord, ledger.get(SPACES.users, String(id))?.value);
  }
  function byName(given: string): UserRecord | undefined {
    const name = readLoginName(given);
    const id = name === undefined ? undefined : readRow(z.number(), ledger.get(SPACES.names, name)?.value);
    return id === undefined ? undefined : byId(id);
  }
  function all(): readonly UserRecord[] {
    return ledger.list(SPACES.users).flatMap(({ entry }) => readRow(UserRecord, entry.value) ?? []);
  }
  function password(id: number): { record: PasswordRecord; revision: number } | undefined {
    const entry = ledger.get(SPACES.passwords, String(id));
    const record = readRow(PasswordRecord, entry?.value);
    return entry === undefined || record === undefined ? undefined : { record, revision: entry.revision };
  }
  const logins = (id: number): LoginsRecord =>
    readRow(LoginsRecord, ledger.get(SPACES.logins, String(id))?.value) ?? NO_LOGINS;

  return {
    byId,
    byName,
    require: (name) => byName(name) ?? unknown(name),
    all,
    password,
    logins,
    account: (user) => toAccount(user, password(user.id) !== undefined, logins(user.id).lastAt),
    nextId() {
      const entry = ledger.get(SPACES.counters, ID_COUNTER);
      return { id: readRow(z.int().positive(), entry?.value) ?? 1, revision: entry?.revision ?? 0 };
    },
    keepAnAdmin(without) {
      if (without.role !== "admin" || without.disabled) return;
      if (!all().some(({ id, role, disabled }) => id !== without.id && role === "admin" && !disabled))
        throw accountError("LAST_ADMIN", `${without.name} is the last admin.`);
    },
  };
}

function unknown(given: string): never {
  const name = readLoginName(given);
  throw accountError(
    "ACCOUNT_UNKNOWN",
    name === undefined ? "There is no such account." : `There is no account ${name}.`,
  );
}
