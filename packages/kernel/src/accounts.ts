import type { Caller, Role, TokenScope } from "./caller.ts";
import type { Cancel } from "./clock.ts";
import type { Duration } from "./duration.ts";
import type { Receipt } from "./receipt.ts";
import type { ToolContext } from "./tool.ts";

/** Somebody who may log in or own tokens. Holds no secret. */
export interface Account {
  /** Positive, and never given to anybody else. */
  readonly id: number;
  /** What one logs in with, in lower case. It is also the account's principal. */
  readonly name: string;
  /** For people to read: cleaned, capped, still data. */
  readonly displayName: string;
  readonly role: Role;
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly lastLoginAt?: number;
}

export interface NewAccount {
  readonly name: string;
  readonly displayName?: string;
  readonly role: Role;
  /** Absent: the account works through access tokens only. */
  readonly password?: string;
}

export interface AccountUpdate {
  readonly displayName?: string;
  readonly role?: Role;
  readonly disabled?: boolean;
}

/** An account of another system, with the hash that system kept. */
export interface ImportedAccount {
  /** Kept when it is free. */
  readonly id?: number;
  readonly name: string;
  readonly displayName?: string;
  readonly role: Role;
  /** bcrypt or argon2id. It is replaced by one of ours at the first login. */
  readonly passwordHash: string;
  readonly disabled?: boolean;
}

export interface AccountsImported {
  readonly imported: readonly Account[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/** What is shown of an access token once it exists. */
export interface AccessTokenInfo {
  readonly id: string;
  readonly owner: string;
  readonly label: string;
  /** The most it may do; its owner's present role can only lower that. */
  readonly role: Role;
  readonly scope?: TokenScope;
  /** The first characters, to tell tokens apart. Absent for a token that was given, not made. */
  readonly prefix?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  /** To within a few minutes. */
  readonly lastUsedAt?: number;
}

export interface NewAccessToken {
  readonly owner: string;
  readonly label: string;
  /** Default: the owner's. */
  readonly role?: Role;
  readonly toolsets?: readonly string[];
  /** Places of the graph, in printed form: `/farm/barn`. */
  readonly pathPrefixes?: readonly string[];
  readonly validFor?: Duration;
}

export interface LoginAttempt {
  readonly name: string;
  readonly password: string;
  /** Where it comes from; failures are counted by name and by address. */
  readonly address: string;
  /** Default 24 h. */
  readonly validFor?: Duration;
  /** When the token says it ends, where a client counts on a fixed time. Default: with the login. */
  readonly tokenFor?: Duration;
}

/** A login that stands. */
export interface Login {
  readonly account: Account;
  readonly expiresAt: number;
}

/** Whom a credential stands for. */
export interface Authenticated {
  readonly principal: string;
  readonly role: Role;
  readonly scope?: TokenScope;
  /** Epoch milliseconds. Streams opened with the credential end then. */
  readonly expiresAt?: number;
  /** What the caller carries as `credential`, so that `standing` can look it up again. Only accounts can read it. */
  readonly credential?: string;
}

/** The one owner of users, roles, tokens and logins, for every part. This side only looks, and lets people in. */
export interface Accounts {
  /** By name. */
  list(): readonly Account[];
  find(name: string): Account | undefined;
  byId(id: number): Account | undefined;
  /** Newest first. */
  tokens(owner?: string): readonly AccessTokenInfo[];
  /**
   * Throws LOGIN_FAILED for every wrong name, password or disabled account alike, LOGIN_THROTTLED (`retry_after`
   * seconds) and LOGIN_BUSY. `token` is shown this once.
   */
  login(attempt: LoginAttempt): Promise<Login & { readonly token: string }>;
  /** The login behind a token that `login` gave out; undefined when it ended. */
  loginOf(token: string): Promise<Login | undefined>;
  /** Ends one login. False: there was none. */
  logout(token: string): Promise<boolean>;
  /** Any credential: access token, login or a configured issuer's. Undefined: unknown, expired or revoked. */
  authenticate(token: string): Promise<Authenticated | undefined>;
  /** The caller with the rights it has at this moment; undefined when its account or its credential is gone or disabled. */
  standing(caller: Caller): Caller | undefined;
  /** Tells that rights were taken or changed: of one principal, or of anybody when none is named. */
  onChange(listener: (principal?: string) => void): Cancel;
}

/** Who asks for a change, and by which door. The context of a tool's handler is one. */
export type AccountAsker = Pick<ToolContext, "caller" | "perform">;

export interface AccountChanged {
  readonly account: Account;
  readonly receipt: Receipt;
}

/**
 * Every change of who may do what, through the door. Admins change everybody; everybody may change their own password
 * and tokens. A token with a scope changes nothing.
 */
export interface AccountDesk {
  create(asker: AccountAsker, wanted: NewAccount): Promise<AccountChanged>;
  update(asker: AccountAsker, name: string, changes: AccountUpdate): Promise<AccountChanged>;
  /** By an admin. Ends every login of the account. */
  setPassword(asker: AccountAsker, name: string, password: string): Promise<AccountChanged>;
  /** By its owner. Ends every login but `keep`, a token that `login` gave out. */
  changePassword(
    asker: AccountAsker,
    change: { readonly current: string; readonly password: string; readonly address: string; readonly keep?: string },
  ): Promise<AccountChanged>;
  endLogins(asker: AccountAsker, name: string): Promise<AccountChanged>;
  /** Its tokens and logins go with it. Never the last admin. */
  remove(asker: AccountAsker, name: string): Promise<AccountChanged>;
  /** `token` is absent when a repeated call is answered from the record: it is shown once. */
  createToken(
    asker: AccountAsker,
    wanted: NewAccessToken,
  ): Promise<{ readonly token?: string; readonly info: AccessTokenInfo; readonly receipt: Receipt }>;
  revokeToken(asker: AccountAsker, id: string): Promise<{ readonly info: AccessTokenInfo; readonly receipt: Receipt }>;
  /** One commit for all that can be taken over; the others are named with the reason. */
  importAccounts(
    asker: AccountAsker,
    accounts: readonly ImportedAccount[],
  ): Promise<AccountsImported & { readonly receipt: Receipt }>;
}
