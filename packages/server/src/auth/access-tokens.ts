import { createHash, randomBytes } from "node:crypto";
import {
  ROLES,
  type Cancel,
  type Clock,
  type Duration,
  type Json,
  type Ledger,
  type NewRecord,
  type Role,
  type TokenScope,
} from "@steading/kernel";
import * as z from "zod";
import { shellError } from "../shell-errors.ts";
import type { Authenticated, Authenticator } from "./authenticator.ts";

const SPACE = "access-tokens";
const SHORTEST = 32;
/** One ledger page, so that listing and counting stay one read. */
const MOST_TOKENS = 1_000;

const Stored = z.strictObject({
  id: z.string(),
  principal: z.string(),
  role: z.enum(ROLES),
  label: z.string(),
  createdAt: z.number(),
  expiresAt: z.exactOptional(z.number()),
  scope: z.exactOptional(
    z.strictObject({
      role: z.exactOptional(z.enum(ROLES)),
      toolsets: z.exactOptional(z.array(z.string())),
      pathPrefixes: z.exactOptional(z.array(z.string())),
    }),
  ),
});
/** What is on record about a token. */
export type AccessToken = Readonly<z.infer<typeof Stored>>;

export interface NewToken {
  readonly principal: string;
  readonly role: Role;
  readonly label: string;
  readonly validFor?: Duration;
  readonly scope?: TokenScope;
}

/** Personal access tokens. The ledger keeps their SHA-256; the token itself is shown once, by whoever called `create`. */
export interface AccessTokens extends Authenticator {
  create(wanted: NewToken): Promise<{ readonly token: string; readonly record: AccessToken }>;
  revoke(id: string): Promise<AccessToken>;
  list(): readonly AccessToken[];
  /**
   * Makes the first admin's token when there is none at all, from `token` if given. Undefined: tokens exist already.
   */
  ensureBootstrap(token?: string): Promise<{ readonly token: string; readonly record: AccessToken } | undefined>;
}

export function createAccessTokens({
  ledger,
  clock,
}: {
  readonly ledger: Ledger;
  readonly clock: Clock;
}): AccessTokens {
  const listeners = new Set<() => void>();

  async function store(token: string, wanted: NewToken): Promise<{ token: string; record: AccessToken }> {
    if (token.length < SHORTEST)
      throw shellError("TOKEN_TOO_SHORT", `An access token needs at least ${SHORTEST} characters.`);
    if (ledger.list(SPACE).length >= MOST_TOKENS)
      throw shellError("TOO_MANY_TOKENS", `There are ${MOST_TOKENS} access tokens already.`);
    const key = keyOf(token);
    const createdAt = clock.now();
    const record: AccessToken = {
      id: idOf(key),
      principal: wanted.principal,
      role: wanted.role,
      label: wanted.label,
      createdAt,
      ...(wanted.validFor === undefined ? {} : { expiresAt: createdAt + wanted.validFor }),
      ...(wanted.scope === undefined ? {} : { scope: copyOf(wanted.scope) }),
    };
    await ledger.commit({
      durability: "fixed",
      expect: [{ space: SPACE, key, revision: 0 }],
      puts: [{ space: SPACE, key, value: record }],
      records: [audit("token.created", record)],
    });
    return { token, record };
  }
  function audit(kind: string, { id, principal, role, label }: AccessToken): NewRecord {
    return { stream: "audit", kind, at: clock.now(), data: { token: id, principal, role, label } };
  }

  return {
    authenticate(token) {
      const entry = ledger.get(SPACE, keyOf(token));
      const record = entry === undefined ? undefined : fromJson(entry.value);
      if (record === undefined || (record.expiresAt !== undefined && record.expiresAt <= clock.now()))
        return Promise.resolve(undefined);
      const { principal, role, scope, expiresAt } = record;
      const who: Authenticated = {
        principal,
        role,
        ...(scope === undefined ? {} : { scope }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      };
      return Promise.resolve(who);
    },
    onChange(listener): Cancel {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    create: (wanted) => store(`stead_${randomBytes(32).toString("base64url")}`, wanted),
    async revoke(id) {
      const found = ledger.list(SPACE).find(({ key }) => idOf(key) === id);
      const record = found === undefined ? undefined : fromJson(found.entry.value);
      if (found === undefined || record === undefined)
        throw shellError("TOKEN_UNKNOWN", `There is no access token with the id ${id}.`);
      const gone = ledger.commit({
        durability: "fixed",
        expect: [{ space: SPACE, key: found.key, revision: found.entry.revision }],
        deletes: [{ space: SPACE, key: found.key }],
        records: [audit("token.revoked", record)],
      });
      // The ledger forgets at once, so must everybody else, whatever the disk still has to do.
      for (const listener of listeners) listener();
      await gone;
      return record;
    },
    list: () =>
      ledger.list(SPACE).flatMap(({ entry }) => {
        const record = fromJson(entry.value);
        return record === undefined ? [] : [record];
      }),
    async ensureBootstrap(token) {
      if (ledger.list(SPACE, { limit: 1 }).length > 0) return undefined;
      const first: NewToken = { principal: "admin", role: "admin", label: "first start" };
      return store(token ?? `stead_${randomBytes(32).toString("base64url")}`, first);
    },
  };
}

function keyOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
/** Part of a hash tells nothing about the token and needs no second index. */
function idOf(key: string): string {
  return key.slice(0, 16);
}

function copyOf({ role, toolsets, pathPrefixes }: TokenScope): NonNullable<AccessToken["scope"]> {
  return {
    ...(role && { role }),
    ...(toolsets && { toolsets: [...toolsets] }),
    ...(pathPrefixes && { pathPrefixes: [...pathPrefixes] }),
  };
}

/** A record that does not read back whole is no credential: half a scope would be a wider one. */
function fromJson(value: Json): AccessToken | undefined {
  return Stored.safeParse(value).data;
}
