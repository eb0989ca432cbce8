import { createHash } from "node:crypto";
import {
  millis,
  SteadingError,
  type AccessTokenInfo,
  type Account,
  type AccountAsker,
  type AccountDesk,
  type AccountsImported,
  type AskedEffect,
  type Caller,
  type CallExtras,
  type Door,
  type ImportedAccount,
  type Json,
  type JsonObject,
  type Ledger,
  type Outcome,
  type Reception,
  type Toward,
} from "@steading/kernel";
import { accountError } from "../account-errors.ts";
import type { WorkingAccounts } from "../create-accounts.ts";
import { shellError } from "../../shell-errors.ts";
import { readLoginName, requireLoginName } from "../users/login-name.ts";
import type { Change } from "../users/user-changes.ts";
import { SPACES } from "../users/user-record.ts";
import { takesAway } from "../users/takes-away.ts";
import { ACCOUNT_OBSERVER, createAccountObserver, type Wanted } from "./account-observer.ts";

export interface WorkingAccountDesk extends AccountDesk {
  /** Somebody who asks without a tool: a REST route, a console, a command. `tool` names the scope of the key. */
  as(caller: Caller, options?: CallExtras & { readonly tool?: string; readonly signal?: AbortSignal }): AccountAsker;
}

interface Asked<T> {
  readonly arguments: JsonObject;
  readonly target: string;
  readonly toward: Toward;
  readonly summary: string;
  /** Undefined: which rows there will be is known only afterwards, so the commit's word is all there is. */
  readonly wanted: Wanted | undefined;
  /** The account that may do this to itself. */
  readonly owner?: string;
  change(change: Change): Promise<T>;
}

/**
 * The door in front of every change of accounts and tokens. Taking rights away is towards safe: neither a read-only hub
 * nor a full disk stops it. Passwords and tokens never become arguments, acknowledgements or records.
 */
export function createAccountDesk({
  accounts,
  ledger,
  door,
  reception,
}: {
  readonly accounts: WorkingAccounts;
  readonly ledger: Ledger;
  readonly door: Door;
  readonly reception: Reception;
}): WorkingAccountDesk {
  const { changes, rights } = accounts;
  door.registerObserver(ACCOUNT_OBSERVER, createAccountObserver({ accounts, ledger, reception }));

  async function perform<T>(asker: AccountAsker, asked: Asked<T>): Promise<{ value: T; outcome: Outcome }> {
    const { wanted, owner, change, ...rest } = asked;
    const effect: AskedEffect = {
      ...rest,
      minimumRole: owner === undefined ? "admin" : "viewer",
      validate() {
        if (owner === undefined) rights.admin(asker.caller);
        else rights.ownerOrAdmin(asker.caller, owner);
      },
      observer: ACCOUNT_OBSERVER,
      observeWith: (wanted ?? {}) as JsonObject, // its members are plain values
      ...(wanted === undefined ? { observeDeadline: millis(0) } : {}),
      drive: {
        async send(wire) {
          try {
            return (await change({ beforeCommit: () => wire.firstByte() })) as Json; // accounts are plain values
          } catch (error) {
            throw nothingWritten(error) ? refused(error) : error;
          }
        },
      },
    };
    const outcome = await asker.perform(effect);
    if (outcome.acknowledgement === undefined) throw failed(outcome);
    return { value: outcome.acknowledgement as T, outcome }; // what `change` returned, now or at the first call
  }

  async function account(asker: AccountAsker, asked: Asked<Account>) {
    const { value, outcome } = await perform(asker, asked);
    return { account: value, receipt: outcome.receipt };
  }
  /** Whether there is an account is told to those who may change it, and to nobody else. */
  function require({ caller }: AccountAsker, name: string): Account {
    rights.ownerOrAdmin(caller, readLoginName(name) ?? name);
    const found = accounts.find(name);
    if (found === undefined) throw accountError("ACCOUNT_UNKNOWN", "There is no such account.");
    return found;
  }
  /** Stands for secrets where arguments are compared. Its name keeps it out of every record. */
  function secret({ caller }: AccountAsker, owner: string | undefined, secrets: readonly string[]): Promise<string> {
    // Before any work is done for somebody who may not ask for it.
    if (owner === undefined) rights.admin(caller);
    else rights.ownerOrAdmin(caller, owner);
    return accounts.fingerprint(secrets);
  }
  const revision = (space: "passwords" | "logins", id: number): number =>
    ledger.get(SPACES[space], String(id))?.revision ?? 0;

  return {
    as: (caller, { tool = "accounts", idempotencyKey, approval, signal } = {}) => ({
      caller,
      perform: (asked) =>
        door.perform(
          {
            minimumRole: "admin",
            confirm: "plain",
            ...asked,
            tool,
            caller,
            ...(idempotencyKey === undefined ? {} : { key: idempotencyKey }),
            ...(approval === undefined ? {} : { approval }),
          },
          signal === undefined ? {} : { signal },
        ),
    }),

    async create(asker, wanted) {
      const { displayName, role, password } = wanted;
      const name = requireLoginName(wanted.name);
      return account(asker, {
        arguments: {
          name,
          role,
          ...(displayName === undefined ? {} : { display_name: displayName }),
          ...(password === undefined ? {} : { password: await secret(asker, undefined, [password]) }),
        },
        target: `account:${name}`,
        toward: "live",
        summary: `Make an account with the role ${role}.`,
        wanted: { see: "account", name, role, disabled: false },
        change: (change) => changes.create(asker.caller, wanted, change),
      });
    },

    async update(asker, name, update) {
      const present = require(asker, name);
      const { name: own } = present;
      const { role = present.role, disabled = present.disabled } = update;
      return account(asker, {
        arguments: { name: own, ...namedAsOnTheWire(update) },
        target: `account:${own}`,
        toward: takesAway(present, update) ? "safe" : "live",
        summary: `Change the account ${own}: ${role}${disabled ? ", disabled" : ""}.`,
        wanted: { see: "account", name: own, role, disabled },
        change: (change) => changes.update(asker.caller, own, update, change),
      });
    },

    async setPassword(asker, name, password) {
      const { name: own, id, hasPassword } = require(asker, name);
      return account(asker, {
        arguments: { name: own, password: await secret(asker, undefined, [password]) },
        target: `account:${own}`,
        // A first password gives a way in; another one takes the old one away.
        toward: hasPassword ? "safe" : "live",
        summary: `Set the password of ${own} and end every login.`,
        wanted: { see: "newer", space: "passwords", id, than: revision("passwords", id) },
        change: (change) => changes.setPassword(asker.caller, own, password, change),
      });
    },

    async changePassword(asker, wanted) {
      const { name: own, id } = require(asker, asker.caller.principal);
      const { current, password, keep = "" } = wanted;
      return account(asker, {
        arguments: { name: own, password: await secret(asker, own, [current, password, keep]) },
        target: `account:${own}`,
        toward: "safe",
        summary: `Change the password of ${own} and end the other logins.`,
        wanted: { see: "newer", space: "passwords", id, than: revision("passwords", id) },
        owner: own,
        change: (change) => changes.changePassword(asker.caller, wanted, change),
      });
    },

    async endLogins(asker, name) {
      const { name: own, id } = require(asker, name);
      return account(asker, {
        arguments: { name: own },
        target: `account:${own}`,
        toward: "safe",
        summary: `End every login of ${own}.`,
        wanted: { see: "newer", space: "logins", id, than: revision("logins", id) },
        owner: own,
        change: (change) => changes.endLogins(asker.caller, own, change),
      });
    },

    async remove(asker, name) {
      const { name: own, id } = require(asker, name);
      return account(asker, {
        arguments: { name: own },
        target: `account:${own}`,
        toward: "safe",
        summary: `Delete the account ${own} with its tokens and logins.`,
        wanted: { see: "no-account", id },
        change: (change) => changes.remove(asker.caller, own, change),
      });
    },

    async createToken(asker, wanted) {
      const draft = changes.draftToken(asker.caller, wanted);
      const { principal, label } = draft.record;
      const { value, outcome } = await perform<AccessTokenInfo>(asker, {
        arguments: {
          owner: principal,
          label,
          ...(draft.record.scope === undefined ? {} : { scope: draft.record.scope }),
          ...(wanted.validFor === undefined ? {} : { valid_for_ms: wanted.validFor }),
        },
        target: `account:${principal}`,
        toward: "live",
        summary: `Make an access token for ${principal}.`,
        wanted: { see: "token", id: draft.record.id },
        owner: principal,
        change: async (change) => (await changes.storeToken(draft, change)).info,
      });
      const mine = value.id === draft.record.id;
      return { ...(mine ? { token: draft.token } : {}), info: value, receipt: outcome.receipt };
    },

    async revokeToken(asker, id) {
      const owner = accounts.tokens().find((token) => token.id === id)?.owner;
      if (owner === undefined) throw shellError("TOKEN_UNKNOWN", "There is no access token with this id.");
      const { value, outcome } = await perform<AccessTokenInfo>(asker, {
        arguments: { token_id: id },
        target: `account:${owner}`,
        toward: "safe",
        summary: "Revoke an access token.",
        wanted: { see: "no-token", id },
        owner,
        change: (change) => changes.revokeToken(asker.caller, id, change),
      });
      return { info: value, receipt: outcome.receipt };
    },

    async importAccounts(asker, imported) {
      const { value, outcome } = await perform<AccountsImported>(asker, {
        arguments: { accounts: imported.map(importedArgument) },
        target: "accounts",
        toward: "live",
        summary: `Import ${imported.length} accounts.`,
        wanted: undefined,
        change: (change) => changes.importAccounts(asker.caller, imported, change),
      });
      return { ...value, receipt: outcome.receipt };
    },
  };
}

function namedAsOnTheWire({ displayName, role, disabled }: Parameters<AccountDesk["update"]>[2]): JsonObject {
  return {
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(role === undefined ? {} : { role }),
    ...(disabled === undefined ? {} : { disabled }),
  };
}

function importedArgument(account: ImportedAccount): JsonObject {
  const { name, role, displayName, disabled, id, passwordHash } = account;
  return {
    name,
    role,
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(disabled === undefined ? {} : { disabled }),
    ...(id === undefined ? {} : { id }),
    // The other system's hash is slow enough; its digest is only compared, and its name keeps it out of every record.
    password_hash: createHash("sha256").update(passwordHash).digest("hex"),
  };
}

/** The ledger writes all of a commit or nothing; with these codes it was nothing. */
const NOTHING_WRITTEN = ["REVISION_STALE", "STORE_BUSY", "STORE_FULL", "STORE_CLOSED"];
function nothingWritten(error: unknown): error is SteadingError {
  return error instanceof SteadingError && NOTHING_WRITTEN.includes(error.code);
}
function refused(error: SteadingError): SteadingError {
  const { code, message, retryable, details, hint } = error;
  const extras = { details: { ...details, refused: true }, retryable, cause: error };
  return new SteadingError(code, message, hint === undefined ? extras : { ...extras, hint });
}
function failed({ receipt: { action, stage }, error }: Outcome): SteadingError {
  const { code, message, retryable } = error ?? { code: "INTERNAL", message: "Nobody knows why.", retryable: false };
  return new SteadingError(code, message, { retryable, details: { action, stage } });
}
