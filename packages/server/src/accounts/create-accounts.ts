import type {
  AccessTokenInfo,
  Account,
  Accounts,
  Caller,
  Clock,
  Journal,
  Ledger,
  Log,
  NewAccessToken,
} from "@steading/kernel";
import { createAccessTokens } from "../auth/access-tokens.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import type { AuthorizationInfo } from "../auth/authorization-info.ts";
import { accountError } from "./account-errors.ts";
import { ACCOUNT_LIMITS, type AccountLimits } from "./account-limits.ts";
import { bootstrapAdmin, type FirstAdmin } from "./bootstrap.ts";
import { createCredentials, credentialOf } from "./credentials.ts";
import { createForeignTokens } from "./jwt/foreign-tokens.ts";
import { canonicalUrl, type IssuerSettings } from "./jwt/issuer-settings.ts";
import { createLoginJwt } from "./jwt/login-jwt.ts";
import { tokenShape } from "./jwt/token-shape.ts";
import { purgeLogins } from "./logins/purge-logins.ts";
import { createLogins } from "./logins/log-in.ts";
import { createLoginThrottle } from "./logins/login-throttle.ts";
import { createPasswordHashes } from "./passwords/password-hashes.ts";
import { createSecretFingerprint, type SecretFingerprint } from "./passwords/secret-fingerprint.ts";
import { createStanding } from "./standing.ts";
import { createTokenChanges, type TokenChanges } from "./token-changes.ts";
import { createAccountRights, type AccountRights } from "./users/account-rights.ts";
import { createAuditedCommit } from "./users/audited-commit.ts";
import { createImportUsers, type ImportUsers } from "./users/import-users.ts";
import { createPasswordChanges, type PasswordChanges } from "./users/password-changes.ts";
import { createUserChanges, type Change, type UserChanges } from "./users/user-changes.ts";
import { createUserStore } from "./users/user-store.ts";

export interface AccountsDeps {
  readonly ledger: Ledger;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  /** Signs logins; at least 32 bytes. `readJwtSecret` makes it of a given JWT_SECRET. */
  readonly secret: Uint8Array;
  /** The hub's address as clients see it. Needed with issuers: it is their tokens' audience. */
  readonly publicUrl?: string;
  readonly issuers?: readonly IssuerSettings[];
  /** Toolsets whose tools look at the places of a token; a token for some places is for these alone. */
  readonly placeToolsets?: readonly string[];
  readonly limits?: Partial<AccountLimits>;
}

/**
 * Changes without the door: one audited commit each, with every check. For commands that run without a hub, and for the
 * desk, which puts the door in front. Everybody else goes through the desk.
 */
export interface AccountChanges extends UserChanges, PasswordChanges {
  importAccounts: ImportUsers;
  createToken(
    by: Caller,
    wanted: NewAccessToken,
    change?: Change,
  ): Promise<{ readonly token: string; readonly info: AccessTokenInfo }>;
  revokeToken: TokenChanges["revoke"];
  draftToken: TokenChanges["draft"];
  storeToken: TokenChanges["store"];
}

export interface AccountCounters {
  readonly logins: number;
  readonly failedLogins: number;
  readonly throttledLogins: number;
  readonly busyLogins: number;
  readonly rehashed: number;
  /** Names and addresses remembered because of failures, and those let go too early for lack of room. */
  readonly throttled: number;
  readonly throttledEvicted: number;
  readonly tokenUsesLost: number;
  readonly keyFetches: number;
  readonly keyFailures: number;
}

export interface WorkingAccounts extends Accounts, Omit<Authenticator, "authenticate" | "onChange"> {
  readonly changes: AccountChanges;
  readonly rights: AccountRights;
  /** For the shell: what its metadata documents say. */
  readonly authorization: AuthorizationInfo;
  /** Makes the first admin when there is no account at all; `given` becomes the token. Undefined: there are some. */
  bootstrap(given?: string): Promise<FirstAdmin | undefined>;
  /** Forgets logins whose time is over; tells how many. For the hub's upkeep. */
  purgeLogins(): Promise<number>;
  readonly counters: AccountCounters;
  /** For the desk: what an idempotency key is bound to where the arguments are secrets. */
  readonly fingerprint: SecretFingerprint;
}

/** The one owner of users, roles, tokens and logins. */
export function createAccounts(deps: AccountsDeps): WorkingAccounts {
  const { ledger, journal, clock, log, secret, issuers = [], placeToolsets = [] } = deps;
  const limits: AccountLimits = { ...ACCOUNT_LIMITS, ...deps.limits };
  if (limits.passwordCharacters < 8) throw new RangeError("Passwords have at least 8 characters.");
  if (issuers.length > limits.issuers)
    throw accountError("ISSUER_REFUSED", `There may be at most ${limits.issuers} issuers.`);
  const publicUrl = readPublicUrl(deps.publicUrl, issuers);
  const listeners = new Set<(principal?: string) => void>();
  const changed = (principal?: string): void => {
    for (const listener of [...listeners]) listener(principal);
  };

  const users = createUserStore(ledger);
  const standing = createStanding(users, createCredentials({ token: (id) => tokens.find(id), users, clock }));
  const rights = createAccountRights(standing);
  const commit = createAuditedCommit({ journal, changed });
  const hashes = createPasswordHashes(limits);
  const throttle = createLoginThrottle({ clock, capacity: limits.throttled });
  const jwt = createLoginJwt({ secret, clock });
  const tokens = createAccessTokens({
    ledger,
    clock,
    journal,
    ownerRole(principal) {
      const user = users.byName(principal);
      return user === undefined || user.disabled ? undefined : user.role;
    },
    useEvery: limits.tokenUseEvery,
  });
  tokens.onChange?.(changed);
  const logins = createLogins({ users, hashes, jwt, throttle, commit, clock, limits });
  const foreign = createForeignTokens({
    issuers,
    audience: `${publicUrl ?? ""}/mcp`,
    placeToolsets,
    clock,
    log,
    onKeyGone: changed,
  });
  const tokenChanges = createTokenChanges({
    tokens,
    users,
    rights,
    commit: (lines) => journal.commit(lines),
    placeToolsets,
    clock,
    limits,
  });
  const shared = { users, hashes, rights, commit, clock, limits };

  async function fromLogin(token: string) {
    const found = await logins.userOf(token);
    if (found === undefined) return undefined;
    const { user, id, expiresAt } = found;
    return { principal: user.name, role: user.role, expiresAt, credential: credentialOf.login(user.id, id) };
  }
  const accountOf = (user: Parameters<typeof users.account>[0] | undefined): Account | undefined =>
    user === undefined ? undefined : users.account(user);

  return {
    list: () => users.all().map(users.account).toSorted(byName),
    find: (name) => accountOf(users.byName(name)),
    byId: (id) => accountOf(users.byId(id)),
    tokens: (owner) => tokenChanges.list(owner),
    login: logins.login,
    async loginOf(token) {
      const found = await logins.userOf(token);
      return found === undefined ? undefined : { account: users.account(found.user), expiresAt: found.expiresAt };
    },
    logout: logins.logout,
    async authenticate(token) {
      const own = await tokens.authenticate(token);
      if (own !== undefined) return own;
      const shape = tokenShape(token);
      switch (shape.kind) {
        case "opaque":
          return undefined;
        case "own-jwt":
          return fromLogin(token);
        case "foreign-jwt":
          return foreign.authenticate(token, shape.issuer);
      }
    },
    standing,
    rights,
    onChange(listener) {
      const own = (principal?: string): void => listener(principal);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    changes: {
      ...createUserChanges({ ...shared, tokens }),
      ...createPasswordChanges({ ...shared, jwt, throttle }),
      importAccounts: createImportUsers(shared),
      createToken: async (by, wanted, change) => tokenChanges.store(tokenChanges.draft(by, wanted), change),
      revokeToken: tokenChanges.revoke,
      draftToken: tokenChanges.draft,
      storeToken: tokenChanges.store,
    },
    authorization: {
      ...(publicUrl === undefined ? {} : { publicUrl }),
      issuers: foreign.issuers,
      issuerDocument: foreign.document,
    },
    fingerprint: createSecretFingerprint({ key: secret, places: hashes.places, passwordBytes: limits.passwordBytes }),
    purgeLogins: () => purgeLogins({ users, journal, clock }),
    bootstrap: (given) => bootstrapAdmin({ users, tokens, journal, clock, given }),
    get counters() {
      const { succeeded, failed, rehashed } = logins.counters;
      return {
        logins: succeeded,
        failedLogins: failed,
        throttledLogins: throttle.refused,
        busyLogins: hashes.places.refused,
        rehashed,
        throttled: throttle.size,
        throttledEvicted: throttle.evicted,
        tokenUsesLost: tokens.usesLost,
        keyFetches: foreign.keyFetches,
        keyFailures: foreign.keyFailures,
      };
    },
  };
}

function readPublicUrl(given: string | undefined, issuers: readonly IssuerSettings[]): string | undefined {
  if (given === undefined) {
    if (issuers.length === 0) return undefined;
    throw accountError("ISSUER_REFUSED", "Issuers need publicUrl: their tokens must name this hub as their audience.");
  }
  const url = canonicalUrl(given);
  if (url === undefined || !/^https?:/.test(url))
    throw accountError("ISSUER_REFUSED", "publicUrl is not the address of a web server.");
  return url;
}

function byName(a: Account, b: Account): number {
  return a.name < b.name ? -1 : 1;
}
