import { randomBytes } from "node:crypto";
import {
  minutes,
  newRecord,
  roleAtLeast,
  type Cancel,
  type Caller,
  type Clock,
  type Commit,
  type Committed,
  type Duration,
  type Journal,
  type Ledger,
  type NewRecord,
  type Role,
  type TokenScope,
} from "@steading/kernel";
import { credentialOf } from "../accounts/credentials.ts";
import { shellError } from "../shell-errors.ts";
import type { Authenticated, Authenticator } from "./authenticator.ts";
import {
  isTokenId,
  readToken,
  storedScope,
  TOKEN_SPACE,
  TOKEN_USE_SPACE,
  tokenId,
  tokenKey,
  type AccessToken,
} from "./token-record.ts";
import { createTokenUse } from "./token-use.ts";

const SHORTEST = 32;
/** One ledger page, so that listing and counting stay one read. */
const MOST_TOKENS = 1_000;
/** `stead_` and four characters: 24 bits of 256. */
const PREFIX_LENGTH = 10;

export type { AccessToken } from "./token-record.ts";

export interface NewToken {
  readonly principal: string;
  /** The most it may ever do; the owner's present role can only lower that. */
  readonly role: Role;
  readonly label: string;
  readonly validFor?: Duration;
  readonly scope?: TokenScope;
}

/** Who changes something, and the moment of no return. */
export interface ChangeBy {
  readonly by?: Caller;
  beforeCommit?(): void;
}

/** A token that exists once `lines` are committed. */
export interface TokenDraft {
  readonly token: string;
  readonly record: AccessToken;
  readonly lines: Required<Pick<Commit, "expect" | "puts" | "deletes" | "records">>;
}

/** Personal access tokens. The ledger keeps their SHA-256; the token itself is shown once, by whoever called `create`. */
export interface AccessTokens extends Authenticator {
  create(wanted: NewToken): Promise<{ readonly token: string; readonly record: AccessToken }>;
  /** The same, for a larger commit. Throws what `create` would. */
  draft(wanted: NewToken, given?: string, by?: Caller): TokenDraft;
  revoke(id: string, how?: ChangeBy): Promise<AccessToken>;
  /** What to delete for a principal that goes away, for a larger commit. */
  deletesOf(principal: string): NonNullable<Commit["deletes"]>;
  find(id: string): AccessToken | undefined;
  list(): readonly AccessToken[];
  lastUsedAt(id: string): number | undefined;
  /** How often a last use could not be written down. */
  readonly usesLost: number;
  /**
   * Makes the first admin's token when there is none at all, from `token` if given. Undefined: tokens exist already.
   */
  ensureBootstrap(token?: string): Promise<{ readonly token: string; readonly record: AccessToken } | undefined>;
}

export interface AccessTokensDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, "now">;
  /** Commits with records go through it where there is one, so that they are heard at once. */
  readonly journal?: Pick<Journal, "commit">;
  /** The present role of a token's owner; undefined: gone or disabled. Without it tokens stand for themselves. */
  ownerRole?(principal: string): Role | undefined;
  readonly useEvery?: Duration;
}

export function createAccessTokens({
  ledger,
  clock,
  journal,
  ownerRole,
  useEvery = minutes(5),
}: AccessTokensDeps): AccessTokens {
  const listeners = new Set<(principal?: string) => void>();
  const use = createTokenUse({ ledger, clock, every: useEvery });

  function commit(lines: Omit<Commit, "durability">): Promise<Committed> {
    const asked = { ...lines, durability: "fixed" } as const;
    return journal === undefined ? ledger.commit(asked) : journal.commit(asked);
  }

  function draft(wanted: NewToken, given?: string, by?: Caller): TokenDraft {
    const token = given ?? `stead_${randomBytes(32).toString("base64url")}`;
    if (token.length < SHORTEST)
      throw shellError("TOKEN_TOO_SHORT", `An access token needs at least ${SHORTEST} characters.`);
    // Those whose time is over make room; nobody can use them any more.
    const expired = deletesWhere(({ expiresAt = Infinity }) => expiresAt <= clock.now());
    if (expired.length === 0 && ledger.list(TOKEN_SPACE).length >= MOST_TOKENS)
      throw shellError("TOO_MANY_TOKENS", `There are ${MOST_TOKENS} access tokens already.`);
    const { principal, role, label, validFor, scope } = wanted;
    const key = tokenKey(token);
    const createdAt = clock.now();
    const record: AccessToken = {
      id: tokenId(key),
      principal,
      role,
      label,
      // A token that somebody chose may be guessed from its beginning.
      ...(given === undefined ? { prefix: token.slice(0, PREFIX_LENGTH) } : {}),
      createdAt,
      ...(validFor === undefined ? {} : { expiresAt: createdAt + validFor }),
      ...(scope === undefined ? {} : { scope: storedScope(scope) }),
    };
    return {
      token,
      record,
      lines: {
        expect: [{ space: TOKEN_SPACE, key, revision: 0 }],
        puts: [{ space: TOKEN_SPACE, key, value: record }],
        deletes: expired,
        records: [audit("token.created", record, by)],
      },
    };
  }

  function audit(kind: string, { id, principal, role, label, scope, expiresAt }: AccessToken, by?: Caller): NewRecord {
    return newRecord(clock, "audit", {
      kind,
      ...(by === undefined ? {} : { correlation: by.correlation }),
      data: {
        token_id: id,
        principal,
        role,
        label,
        ...(scope === undefined ? {} : { scope }),
        ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
        ...(by === undefined ? {} : { by: by.principal, transport: by.transport }),
      },
    });
  }

  function entryOf(id: string): { key: string; revision: number; record: AccessToken } | undefined {
    if (!isTokenId(id)) return undefined;
    const [found] = ledger.list(TOKEN_SPACE, { prefix: id, limit: 1 });
    const record = found === undefined ? undefined : readToken(found.entry.value);
    return found === undefined || record === undefined
      ? undefined
      : { key: found.key, revision: found.entry.revision, record };
  }

  function deletesWhere(goes: (record: AccessToken) => boolean): NonNullable<Commit["deletes"]> {
    return ledger.list(TOKEN_SPACE).flatMap(({ key, entry }) => {
      const record = readToken(entry.value);
      return record !== undefined && goes(record) ? deletesOfKey(key) : [];
    });
  }

  async function store({ token, record, lines }: TokenDraft): Promise<{ token: string; record: AccessToken }> {
    await commit(lines);
    return { token, record };
  }

  return {
    authenticate(token) {
      const key = tokenKey(token);
      const entry = ledger.get(TOKEN_SPACE, key);
      const record = entry === undefined ? undefined : readToken(entry.value);
      if (entry === undefined || record === undefined) return Promise.resolve(undefined);
      if (record.expiresAt !== undefined && record.expiresAt <= clock.now()) return Promise.resolve(undefined);
      const { principal, scope, expiresAt } = record;
      const present = ownerRole === undefined ? record.role : ownerRole(principal);
      if (present === undefined) return Promise.resolve(undefined);
      use.note(key, entry.revision);
      const who: Authenticated = {
        principal,
        role: roleAtLeast(present, record.role) ? record.role : present,
        ...(scope === undefined ? {} : { scope }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
        credential: credentialOf.token(record.id),
      };
      return Promise.resolve(who);
    },
    onChange(listener): Cancel {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    draft,
    create: (wanted) => store(draft(wanted)),
    async revoke(id, { by, beforeCommit } = {}) {
      const found = entryOf(id);
      if (found === undefined) throw shellError("TOKEN_UNKNOWN", `There is no access token with the id ${id}.`);
      const { key, revision, record } = found;
      beforeCommit?.();
      const gone = commit({
        expect: [{ space: TOKEN_SPACE, key, revision }],
        deletes: deletesOfKey(key),
        // Also on a full disk: it takes rights away and gives none.
        reserve: true,
        records: [audit("token.revoked", record, by)],
      });
      // The ledger forgets at once, so must everybody else, whatever the disk still has to do.
      for (const listener of listeners) listener(record.principal);
      await gone;
      return record;
    },
    deletesOf: (principal) => deletesWhere((record) => record.principal === principal),
    find: (id) => entryOf(id)?.record,
    list: () => ledger.list(TOKEN_SPACE).flatMap(({ entry }) => readToken(entry.value) ?? []),
    lastUsedAt(id) {
      const key = entryOf(id)?.key;
      return key === undefined ? undefined : use.lastUsedAt(key);
    },
    get usesLost() {
      return use.lost;
    },
    async ensureBootstrap(token) {
      if (ledger.list(TOKEN_SPACE, { limit: 1 }).length > 0) return undefined;
      return store(draft({ principal: "admin", role: "admin", label: "first start" }, token));
    },
  };
}

function deletesOfKey(key: string): NonNullable<Commit["deletes"]> {
  return [
    { space: TOKEN_SPACE, key },
    { space: TOKEN_USE_SPACE, key },
  ];
}
