import type { Accounts, Role, RouteContext } from "@steading/kernel";
import { expect, test } from "vitest";
import { caller, createTrialFarm } from "../testing/trial-farm.ts";
import type { ApiDeps } from "./api-deps.ts";
import { createSetupRoutes } from "./setup-routes.ts";

const { core } = createTrialFarm();
let users = 1;
const accounts = { list: () => Array.from({ length: users }) } as unknown as Accounts; // only counted
const routes = createSetupRoutes({ core, accounts } as ApiDeps); // the rest is not asked for

function post(path: string, body: unknown, role: Role | undefined): Promise<unknown> {
  const route = routes.find((each) => each.method === "POST" && each.path === `/api/auth/setup/${path}`);
  if (!route) throw new Error("There is no such route.");
  const checked = route.input.body?.safeParse(body);
  if (checked?.success === false) return Promise.reject(Object.assign(new Error("before"), { code: "BEFORE" }));
  const context = { caller: caller(role ?? "viewer"), isKnown: role !== undefined } as RouteContext;
  return Promise.resolve(route.handle({ params: {}, query: {}, body: checked?.data }, context));
}

test.each(["network", "timezone"])("after setup, what is wrong with a %s is told to admins only", async (path) => {
  users = 1;
  for (const body of [{}, { timezone: 7, ipAddress: 7 }, undefined, "text"]) {
    await expect(post(path, body, undefined)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(post(path, body, "operator")).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  }
  const wrong = { timezone: "Nowhere/Land", ipAddress: "300.1.1.1" };
  await expect(post(path, wrong, "admin")).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  users = 0;
  await expect(post(path, wrong, undefined)).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
});
