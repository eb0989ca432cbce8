import {
  days,
  defineTool,
  receiptJson,
  ROLES,
  type AccessTokenInfo,
  type Account,
  type AccountDesk,
  type Accounts,
  type Receipt,
  type Toolset,
} from "@steading/kernel";
import * as z from "zod";
import { ReceiptJson } from "./hub-change.ts";

const name = z.string().min(1).max(300);
const role = z.enum(ROLES);

const UserJson = z.object({
  id: z.number(),
  name: z.string(),
  display_name: z.string(),
  role,
  disabled: z.boolean(),
  has_password: z.boolean(),
  created_at: z.iso.datetime(),
  last_login_at: z.iso.datetime().optional(),
});
const TokenJson = z.object({
  id: z.string(),
  owner: z.string(),
  label: z.string(),
  role,
  prefix: z.string().optional(),
  toolsets: z.array(z.string()).optional(),
  paths: z.array(z.string()).optional(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().optional(),
  last_used_at: z.iso.datetime().optional(),
});
const UserAnswer = z.object({ user: UserJson, receipt: ReceiptJson });

interface Deps {
  readonly accounts: Pick<Accounts, "list" | "tokens">;
  readonly desk: AccountDesk;
}

/** Users and tokens for the hub's own commands. Every change goes through the door, without its secrets. */
export function createAccountTools(deps: Deps): Toolset {
  return { name: "accounts", tools: [...userTools(deps), ...tokenTools(deps)] };
}

function userTools({ accounts, desk }: Deps) {
  const changes = { intent: "MUTATE", minimumRole: "admin", output: UserAnswer } as const;
  return [
    defineTool({
      name: "list_users",
      title: "Users",
      summary: "Lists the accounts of this hub.",
      input: z.object({}),
      output: z.object({ users: z.array(UserJson) }),
      intent: "READ_ONLY",
      minimumRole: "admin",
      handler: () => ({ users: accounts.list().map(userJson) }),
    }),
    defineTool({
      ...changes,
      name: "create_user",
      title: "Add a user",
      summary: "Makes an account. Without a password it works through access tokens only.",
      input: z.object({ name, role, display_name: z.string().max(300).optional(), password: z.string().optional() }),
      async handler({ name, role, display_name: displayName, password }, context) {
        const wanted = {
          name,
          role,
          ...(displayName !== undefined && { displayName }),
          ...(password !== undefined && { password }),
        };
        return userAnswer(await desk.create(context, wanted));
      },
    }),
    defineTool({
      ...changes,
      name: "update_user",
      title: "Change a user",
      summary: "Changes an account's role, or disables or enables it.",
      input: z.object({ name, role: role.optional(), disabled: z.boolean().optional() }),
      async handler({ name, role, disabled }, context) {
        const update = { ...(role !== undefined && { role }), ...(disabled !== undefined && { disabled }) };
        return userAnswer(await desk.update(context, name, update));
      },
    }),
    defineTool({
      ...changes,
      name: "set_password",
      title: "Set a password",
      summary: "Sets an account's password and ends its logins.",
      input: z.object({ name, password: z.string() }),
      async handler({ name, password }, context) {
        return userAnswer(await desk.setPassword(context, name, password));
      },
    }),
    defineTool({
      ...changes,
      name: "delete_user",
      title: "Delete a user",
      summary: "Deletes an account with its tokens and logins. The last admin stays.",
      input: z.object({ name }),
      async handler({ name }, context) {
        return userAnswer(await desk.remove(context, name));
      },
    }),
  ];
}

function tokenTools({ accounts, desk }: Deps) {
  return [
    defineTool({
      name: "list_tokens",
      title: "Access tokens",
      summary: "Lists access tokens, newest first. None of them is shown.",
      input: z.object({ owner: name.optional() }),
      output: z.object({ tokens: z.array(TokenJson) }),
      intent: "READ_ONLY",
      minimumRole: "admin",
      handler: ({ owner }) => ({ tokens: accounts.tokens(owner).map(tokenJson) }),
    }),
    defineTool({
      name: "create_token",
      title: "Make an access token",
      summary: "Makes an access token for an account. It is shown this once.",
      input: z.object({
        owner: name,
        label: z.string().min(1).max(100),
        role: role.optional(),
        toolsets: z.array(z.string().max(64)).min(1).max(64).optional(),
        paths: z.array(z.string().max(1_000)).min(1).max(32).optional(),
        days: z.number().int().min(1).max(3_650).optional(),
      }),
      output: z.object({ token: z.string().optional(), info: TokenJson, receipt: ReceiptJson }),
      intent: "MUTATE",
      minimumRole: "admin",
      async handler({ owner, label, role, toolsets, paths, days: validDays }, context) {
        const { token, info, receipt } = await desk.createToken(context, {
          owner,
          label,
          ...(role !== undefined && { role }),
          ...(toolsets !== undefined && { toolsets }),
          ...(paths !== undefined && { pathPrefixes: paths }),
          ...(validDays !== undefined && { validFor: days(validDays) }),
        });
        return { ...(token !== undefined && { token }), info: tokenJson(info), receipt: receiptJson(receipt) };
      },
    }),
    defineTool({
      name: "revoke_token",
      title: "Revoke an access token",
      summary: "Ends an access token and every stream that was opened with it.",
      input: z.object({ id: z.string().min(1).max(64) }),
      output: z.object({ info: TokenJson, receipt: ReceiptJson }),
      intent: "MUTATE",
      minimumRole: "admin",
      async handler({ id }, context) {
        const { info, receipt } = await desk.revokeToken(context, id);
        return { info: tokenJson(info), receipt: receiptJson(receipt) };
      },
    }),
  ];
}

function userAnswer({ account, receipt }: { readonly account: Account; readonly receipt: Receipt }) {
  return { user: userJson(account), receipt: receiptJson(receipt) };
}

function userJson(account: Account): z.infer<typeof UserJson> {
  const { id, name, displayName, role, disabled, hasPassword, createdAt, lastLoginAt } = account;
  return {
    id,
    name,
    display_name: displayName,
    role,
    disabled,
    has_password: hasPassword,
    created_at: iso(createdAt),
    ...(lastLoginAt !== undefined && { last_login_at: iso(lastLoginAt) }),
  };
}

function tokenJson(info: AccessTokenInfo): z.infer<typeof TokenJson> {
  const { id, owner, label, role, scope, prefix, createdAt, expiresAt, lastUsedAt } = info;
  return {
    id,
    owner,
    label,
    role,
    ...(prefix !== undefined && { prefix }),
    ...(scope?.toolsets !== undefined && { toolsets: [...scope.toolsets] }),
    ...(scope?.pathPrefixes !== undefined && { paths: [...scope.pathPrefixes] }),
    created_at: iso(createdAt),
    ...(expiresAt !== undefined && { expires_at: iso(expiresAt) }),
    ...(lastUsedAt !== undefined && { last_used_at: iso(lastUsedAt) }),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
