import {
  days,
  deviceText,
  effectiveRole,
  roleAtLeast,
  type AccessTokenInfo,
  type Caller,
  type Clock,
  type Commit,
  type NewAccessToken,
  type Role,
} from "@steading/kernel";
import type { AccessToken, AccessTokens, TokenDraft } from "../auth/access-tokens.ts";
import { shellError } from "../shell-errors.ts";
import { accountError } from "./account-errors.ts";
import type { AccountLimits } from "./account-limits.ts";
import { checkedScope } from "./token-scope.ts";
import type { AccountRights } from "./users/account-rights.ts";
import { checkRole, type Change } from "./users/user-changes.ts";
import type { UserStore } from "./users/user-store.ts";

/** Access tokens as their owners and admins handle them. */
export interface TokenChanges {
  /** Checks everything; nothing exists before `store`. */
  draft(by: Caller, wanted: NewAccessToken): TokenDraft;
  store(draft: TokenDraft, change?: Change): Promise<{ readonly token: string; readonly info: AccessTokenInfo }>;
  revoke(by: Caller, id: string, change?: Change): Promise<AccessTokenInfo>;
  /** Newest first. */
  list(owner?: string): readonly AccessTokenInfo[];
}

const LABEL_CHARACTERS = 100;
const LONGEST = days(3_653);

export function createTokenChanges({
  tokens,
  users,
  rights,
  commit,
  placeToolsets,
  clock,
  limits,
}: {
  readonly tokens: AccessTokens;
  readonly users: UserStore;
  readonly rights: AccountRights;
  commit(commit: Commit): Promise<unknown>;
  readonly placeToolsets: readonly string[];
  readonly clock: Pick<Clock, "now">;
  readonly limits: AccountLimits;
}): TokenChanges {
  function info({ principal, scope, role, ...token }: AccessToken): AccessTokenInfo {
    const lastUsedAt = tokens.lastUsedAt(token.id);
    return {
      ...token,
      owner: principal,
      role: scope?.role === undefined ? role : lower(role, scope.role),
      ...(scope === undefined ? {} : { scope }),
      ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    };
  }
  const ofOwner = (owner: string): readonly AccessToken[] =>
    tokens.list().filter(({ principal, expiresAt }) => principal === owner && (expiresAt ?? Infinity) > clock.now());

  return {
    draft(by, { owner: given, label, role, toolsets, pathPrefixes, validFor }) {
      const owner = users.require(given);
      const caller = rights.ownerOrAdmin(by, owner.name);
      if (role !== undefined) checkRole(role);
      if (role !== undefined && !roleAtLeast(owner.role, role))
        throw accountError("TOKEN_SCOPE_REFUSED", `A token cannot do more than its owner, who is ${owner.role}.`);
      if (validFor !== undefined && !(validFor > 0 && validFor <= LONGEST))
        throw accountError("TOKEN_SCOPE_REFUSED", "A token is valid for more than nothing and at most ten years.");
      if (ofOwner(owner.name).length >= limits.tokensPerAccount)
        throw shellError("TOO_MANY_TOKENS", `${owner.name} has ${limits.tokensPerAccount} access tokens already.`);
      const scope = checkedScope(
        {
          ...(role === undefined || role === owner.role ? {} : { role }),
          ...(toolsets === undefined ? {} : { toolsets }),
          ...(pathPrefixes === undefined ? {} : { pathPrefixes }),
        },
        placeToolsets,
      );
      const most = by.principal === owner.name ? lower(owner.role, effectiveRole(caller)) : owner.role;
      return tokens.draft(
        {
          principal: owner.name,
          role: most,
          label: deviceText(label, LABEL_CHARACTERS) || "without a label",
          ...(validFor === undefined ? {} : { validFor }),
          ...(scope === undefined ? {} : { scope }),
        },
        undefined,
        by,
      );
    },
    async store({ token, record, lines }, change) {
      change?.beforeCommit?.();
      await commit({ ...lines, durability: "fixed" });
      return { token, info: info(record) };
    },
    async revoke(by, id, change) {
      const token = tokens.find(id);
      if (token === undefined) throw shellError("TOKEN_UNKNOWN", `There is no access token with the id ${id}.`);
      rights.ownerOrAdmin(by, token.principal);
      const shown = info(token);
      const beforeCommit = change?.beforeCommit;
      await tokens.revoke(id, { by, ...(beforeCommit === undefined ? {} : { beforeCommit }) });
      return shown;
    },
    list: (owner) =>
      tokens
        .list()
        .filter(({ principal }) => owner === undefined || principal === owner)
        .toSorted((a, b) => b.createdAt - a.createdAt)
        .map(info),
  };
}

function lower(one: Role, other: Role): Role {
  return roleAtLeast(one, other) ? other : one;
}
