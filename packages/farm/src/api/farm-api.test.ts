import { createManualClock, hours, type Accounts, type AccountDesk } from "@steading/kernel";
import { expect, test } from "vitest";
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
});

// @proves farm.rights.viewer-no-write
test("every call that writes needs an operator at least, but for the account's own login and password", () => {
  const loose = routes.filter(({ method, role }) => method !== "GET" && role !== "operator" && role !== "admin");
  expect(loose.map(({ path, role }) => `${path} ${role}`)).toEqual([
    "/api/auth/login public",
    "/api/auth/logout public",
    "/api/auth/change-password viewer",
    "/api/auth/setup public",
    "/api/auth/setup/quick public",
  ]);
});

test("nothing but health, login and setup is told to somebody without a token", () => {
  const open = routes.filter(({ role }) => role === "public").map(({ path }) => path);
  expect(open.toSorted()).toEqual([
    "/api/auth/login",
    "/api/auth/logout",
    "/api/auth/setup",
    "/api/auth/setup-status",
    "/api/auth/setup/quick",
    "/api/health",
  ]);
});
