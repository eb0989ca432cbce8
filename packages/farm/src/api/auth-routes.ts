import { hours, SteadingError, type Account, type Caller, type JsonObject, type Route } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { reasonFor } from "../farm-status.ts";
import { iso } from "../model/instant.ts";
import { performerFor, type ApiDeps } from "./api-deps.ts";
import { Email, NewPassword } from "./auth-input.ts";
import { created, farmRoute, ok } from "./farm-route.ts";

/** What clients count on, however long the login itself stands. */
const TOKEN_LIFE = hours(8);
const Text = z.string().min(1).max(1_000);

/** Login, logout and the first account. Who may do what is the hub's own; this is only its form. */
export function createAuthRoutes(deps: ApiDeps): readonly Route[] {
  const { accounts, desk, sessionTimeout } = deps;

  async function login(name: string, password: string, address: string): Promise<JsonObject> {
    const { token, account, expiresAt } = await accounts.login({
      name,
      password,
      address,
      validFor: sessionTimeout,
      tokenFor: TOKEN_LIFE,
    });
    return { token, user: userJson(account), expiresAt: iso(expiresAt) };
  }

  return [
    farmRoute({
      method: "POST",
      path: "/api/auth/login",
      role: "public",
      summary: "Log in with e-mail and password",
      body: z.object({ email: Text, password: Text }),
      async handle({ body: { email, password } }, { remoteAddress }) {
        try {
          return ok(await login(email, password, remoteAddress));
        } catch (error) {
          const wait = error instanceof SteadingError ? error.details?.["retry_after"] : undefined;
          if (typeof wait !== "number" || !(error instanceof SteadingError)) throw error;
          const body = { error: reasonFor(429), message: error.message, code: error.code, retryable: true };
          return { status: 429, headers: { "retry-after": String(Math.ceil(wait)) }, body };
        }
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/auth/logout",
      role: "public",
      summary: "End the session",
      async handle(_input, { token }) {
        if (token !== undefined) await accounts.logout(token);
        return ok({ message: "Logged out" });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/auth/session",
      role: "viewer",
      summary: "Who is logged in",
      async handle(_input, { token, caller, expiresAt }) {
        const session = token === undefined ? undefined : await accounts.loginOf(token);
        const account = session?.account ?? accounts.find(caller.principal);
        if (!account) throw new SteadingError("UNAUTHENTICATED", "There is no session behind this token.");
        const until = session?.expiresAt ?? expiresAt;
        return ok({ user: userJson(account), expiresAt: until === undefined ? null : iso(until) });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/auth/change-password",
      role: "viewer",
      summary: "Change the own password; ends the other sessions",
      body: z.object({ currentPassword: Text, newPassword: NewPassword }),
      async handle({ body: { currentPassword, newPassword } }, context) {
        const { caller, remoteAddress, token } = context;
        await desk.changePassword(
          { caller, perform: performerFor(deps, context, "change_password") },
          {
            current: currentPassword,
            password: newPassword,
            address: remoteAddress,
            ...(token === undefined ? {} : { keep: token }),
          },
        );
        return ok({ message: "Password changed" });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/auth/setup-status",
      role: "public",
      summary: "Is there a user yet?",
      handle() {
        const all = accounts.list();
        const hasAdmin = all.some(({ role, disabled }) => role === "admin" && !disabled);
        return ok({ needsSetup: all.length === 0, userCount: all.length, setupCompleted: all.length > 0, hasAdmin });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/auth/setup",
      role: "public",
      summary: "Make the first user",
      body: z.object({
        email: Email,
        password: NewPassword,
        name: Text,
      }),
      async handle({ body: { email, password, name } }, context) {
        if (accounts.list().length > 0) throw farmError("BAD_INPUT", "There is a user already; log in instead.");
        // Before there is anybody, whoever comes first is the admin, as a first start at the console would be.
        const asker: Caller = {
          principal: "local",
          role: "admin",
          transport: "internal",
          correlation: context.caller.correlation,
        };
        const perform = performerFor(deps, { ...context, caller: asker }, "setup");
        await desk.create({ caller: asker, perform }, { name: email, displayName: name, role: "admin", password });
        return created({ message: "Setup complete", ...(await login(email, password, context.remoteAddress)) });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/auth/setup/quick",
      role: "public",
      summary: "Gone: there is no default password",
      handle: () => ({
        status: 410,
        body: { error: "Gone", message: "There is no default account; use /api/auth/setup and choose a password." },
      }),
    }),
  ];
}

function userJson({ id, name, displayName, role }: Account): JsonObject {
  return { id, email: name, name: displayName, role };
}
