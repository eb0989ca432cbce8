import { ROLES, type Account, type JsonObject, type Route, type RouteContext } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { iso } from "../model/instant.ts";
import { performerFor, type ApiDeps } from "./api-deps.ts";
import { Email, NewPassword } from "./auth-input.ts";
import { created, farmRoute, IdParams, ok, shaped, ShapeQuery, type Shape } from "./farm-route.ts";

const name = z.string().trim().min(1).max(100);
const MOST_NAMES = 254;

/** The hub's accounts in the reference's form. Who may change whom is decided where accounts are. */
export function createUserRoutes(deps: ApiDeps): readonly Route[] {
  const { accounts, desk, core } = deps;

  function find(id: number): Account {
    const account = accounts.byId(id);
    if (!account) throw farmError("USER_UNKNOWN", `There is no user ${id}.`, { details: { user_id: id } });
    return account;
  }
  const asker = (context: RouteContext, tool: string) => ({
    caller: context.caller,
    perform: performerFor(deps, context, tool),
  });

  return [
    farmRoute({
      method: "GET",
      path: "/api/users",
      role: "admin",
      summary: "Everybody who may log in",
      query: ShapeQuery,
      handle: ({ query }) => ok(accounts.list().map((account) => row(account, query.shape))),
    }),
    farmRoute({
      method: "POST",
      path: "/api/users",
      role: "admin",
      summary: "Add a user",
      query: ShapeQuery,
      body: z.object({
        email: Email,
        password: NewPassword,
        name: name.optional(),
        // A client that asks for a role nobody knows gets the one that can do the least.
        role: z.enum(ROLES).catch("viewer").default("viewer"),
      }),
      async handle({ query, body: { email, password, name: displayName = email, role } }, context) {
        const wanted = { name: email, displayName, role, password };
        const { account } = await desk.create(asker(context, "create_user"), wanted);
        return created(row(account, query.shape));
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/users/:id",
      role: "admin",
      summary: "One user",
      params: IdParams,
      query: ShapeQuery,
      handle: ({ params, query }) => ok(row(find(params.id), query.shape)),
    }),
    farmRoute({
      method: "PUT",
      path: "/api/users/:id",
      role: "admin",
      summary: "Change name, role or password; the e-mail is the login and stays",
      params: IdParams,
      query: ShapeQuery,
      body: z.object({
        email: z.string().max(MOST_NAMES).optional(),
        name: name.optional(),
        role: z.enum(ROLES).optional(),
        password: NewPassword.optional(),
      }),
      async handle({ params: { id }, query, body: { email, name: displayName, role, password } }, context) {
        let account = find(id);
        if (email !== undefined && email.toLowerCase() !== account.name) {
          throw farmError("NOT_SWITCHABLE", "The e-mail is what one logs in with and cannot be changed; add a user.");
        }
        const changes = { ...(displayName !== undefined && { displayName }), ...(role !== undefined && { role }) };
        if (Object.keys(changes).length > 0) {
          ({ account } = await desk.update(asker(context, "update_user"), account.name, changes));
        }
        if (password !== undefined) {
          ({ account } = await desk.setPassword(asker(context, "set_password"), account.name, password));
        }
        return ok(row(account, query.shape));
      },
    }),
    farmRoute({
      method: "DELETE",
      path: "/api/users/:id",
      role: "admin",
      summary: "Delete a user, and end their sessions; nobody deletes themselves",
      params: IdParams,
      async handle({ params: { id } }, context) {
        const account = find(id);
        if (account.name === context.caller.principal) {
          throw farmError("BAD_INPUT", "You cannot delete yourself; ask another admin.");
        }
        await desk.remove(asker(context, "delete_user"), account.name);
        await core.preferences.forget(id);
        return ok({ message: "User deleted" });
      },
    }),
  ];
}

function row({ id, name: email, displayName, role, disabled, ...times }: Account, shape: Shape): JsonObject {
  const { createdAt, changedAt, lastLoginAt } = times;
  return shaped(
    {
      id,
      email,
      name: displayName,
      role,
      is_cloud_synced: false,
      last_login: lastLoginAt === undefined ? null : iso(lastLoginAt),
      created_at: iso(createdAt),
      updated_at: iso(changedAt),
      disabled,
    },
    shape,
  );
}
