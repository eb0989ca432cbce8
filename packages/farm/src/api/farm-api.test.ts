import { createManualClock, hours, silentLog, type Accounts, type AccountDesk } from "@steading/kernel";
import { expect, test } from "vitest";
import { createLogPages } from "../model/log-pages.ts";
import { createTrialFarm } from "../testing/trial-farm.ts";
import { createFarmRoutes } from "./farm-api.ts";

const clock = createManualClock();
const routes = createFarmRoutes({
  core: createTrialFarm({ clock }).core,
  facts: { version: "1", startedAt: 0, armed: () => true },
  door: { perform: () => Promise.reject(new Error("Nothing is performed here.")) },
  clock,
  // The routes are looked at, not called.
  accounts: {} as Accounts,
  desk: {} as AccountDesk,
  sessionTimeout: hours(8),
  logs: createLogPages({ log: silentLog, clock }),
});

// @proves farm.rights.viewer-no-write
test("every call that writes needs an operator at least, but for the account's own login, password and preferences", () => {
  const loose = routes.filter(({ method, role }) => method !== "GET" && role !== "operator" && role !== "admin");
  expect(loose.map(({ path, role }) => `${path} ${role}`)).toEqual([
    "/api/auth/login public",
    "/api/auth/logout public",
    "/api/auth/change-password viewer",
    "/api/auth/setup public",
    "/api/auth/setup/quick public",
    "/api/auth/setup/network public",
    "/api/auth/setup/timezone public",
    "/api/users/me/preferences viewer",
  ]);
});

test("nothing but health, login and setup is told to somebody without a token", () => {
  const open = routes.filter(({ role }) => role === "public").map(({ path }) => path);
  expect(open.toSorted()).toEqual([
    "/api/auth/login",
    "/api/auth/logout",
    "/api/auth/setup",
    "/api/auth/setup-status",
    "/api/auth/setup/network",
    "/api/auth/setup/network",
    "/api/auth/setup/quick",
    "/api/auth/setup/timezone",
    "/api/auth/setup/timezone",
    "/api/health",
  ]);
});
