import { createManualClock, hours, silentLog, type Accounts, type AccountDesk } from "@steading/kernel";
import { expect, test } from "vitest";
import { createLogPages } from "../model/log-pages.ts";
import { createTrialFarm } from "../testing/trial-farm.ts";
import { createFarmRoutes } from "./farm-api.ts";
import { farmHttp } from "./farm-http.ts";

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

const roleOf = (call: string): string | undefined => {
  const [method, path] = call.split(" ");
  return routes.find((route) => route.method === method && route.path === path)?.role;
};

// @proves farm.rights.viewer
test("a viewer reads everything but the pages of admins", () => {
  const closed = routes.filter(({ method, role }) => method === "GET" && role !== "viewer" && role !== "public");
  expect(closed.map(({ path, role }) => `${path} ${role}`).toSorted()).toEqual([
    "/api/notifications/telegram admin",
    "/api/notifications/watchdog admin",
    "/api/settings admin",
    "/api/settings/network admin",
    "/api/settings/storage admin",
    "/api/system/data-counts admin",
    "/api/system/logs admin",
    "/api/system/schema admin",
    "/api/system/services admin",
    "/api/users admin",
    "/api/users/:id admin",
  ]);
});

// @proves farm.rights.operator
test("an operator controls, posts, acknowledges, edits programs, zones and equipment, and searches", () => {
  for (const call of [
    "POST /api/equipment/:id/relay/control",
    "POST /api/equipment/:id/relay/all",
    "POST /api/equipment/:id/control",
    "POST /api/equipment/:id/readings",
    "POST /api/alerts/:id/acknowledge",
    "POST /api/automations",
    "PUT /api/automations/:id",
    "DELETE /api/automations/:id",
    "POST /api/automations/:id/trigger",
    "POST /api/zones",
    "PUT /api/zones/:id",
    "POST /api/equipment",
    "PUT /api/equipment/:id",
    "POST /api/equipment/scan",
    "POST /api/equipment/scan-slaves",
  ]) {
    expect([call, roleOf(call)]).toEqual([call, "operator"]);
  }
});

// @proves farm.rights.admin-only
test("deleting equipment and zones, calibration, users, settings, backup, polling and clearing are for admins", () => {
  for (const call of [
    "DELETE /api/equipment/:id",
    "DELETE /api/zones/:id",
    "POST /api/equipment/:id/calibrate",
    "GET /api/users",
    "POST /api/users",
    "PUT /api/users/:id",
    "DELETE /api/users/:id",
    "GET /api/settings",
    "PUT /api/settings",
    "PUT /api/settings/network",
    "POST /api/settings/backup",
    "POST /api/settings/restore",
    "POST /api/settings/factory-reset",
    "POST /api/modbus/polling/start",
    "POST /api/modbus/polling/stop",
    "POST /api/modbus/connection/disconnect",
    "DELETE /api/system/clear/:target",
  ]) {
    expect([call, roleOf(call)]).toEqual([call, "admin"]);
  }
});

test("no two routes have one address", () => {
  const calls = routes.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(calls).size).toBe(calls.length);
});

test("every refusal of the form of a request says its own reason", () => {
  const { errorBody } = farmHttp("1.2.3");
  const reason = (status: number) => errorBody?.({ status, code: "X", message: "", retryable: false });
  expect(reason(415)).toMatchObject({ error: "Unsupported Media Type" });
  expect(reason(408)).toMatchObject({ error: "Request Timeout" });
  expect(reason(499)).toMatchObject({ error: "Bad Request" });
  expect(reason(599)).toMatchObject({ error: "Internal Server Error" });
});
