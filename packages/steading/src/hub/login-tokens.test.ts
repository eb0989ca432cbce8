import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealClock, silentLog, type Caller } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { secret } from "../../../../test/support/run-record.ts";
import { openCore, type Core } from "./open-core.ts";

const PASSWORD = secret("seven lanterns in the orchard");
const ADMIN: Caller = { principal: "local", role: "admin", transport: "cli", correlation: "test" };
let dir: string;
let core: Core;
let login: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "steading-login-"));
  core = await openCore({
    settings: { access: "write", issuers: [] },
    data: dir,
    clock: createRealClock(),
    log: silentLog,
  });
  const { accounts } = core;
  await accounts.bootstrap();
  await accounts.changes.create(ADMIN, { name: "anna", role: "operator", password: PASSWORD });
  login = secret((await accounts.login({ name: "anna", password: PASSWORD, address: "192.0.2.1" })).token);
});
afterEach(async () => {
  await core.store.close();
  rmSync(dir, { recursive: true });
});

const claims = (): Record<string, unknown> =>
  JSON.parse(Buffer.from(login.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;

// @proves steading.jwt.no-audience-needed steading.jwt.role-from-account-row steading.jwt.account-change-takes-effect
test("a login needs no audience, and what it may do is what its account says at that moment", async () => {
  expect(claims()).not.toHaveProperty("aud");
  expect(await core.accounts.authenticate(login)).toMatchObject({ principal: "anna", role: "operator" });
  await core.accounts.changes.update(ADMIN, "anna", { role: "viewer" });
  expect(await core.accounts.authenticate(login)).toMatchObject({ principal: "anna", role: "viewer" });
  await core.accounts.changes.remove(ADMIN, "anna");
  expect(await core.accounts.authenticate(login)).toBeUndefined();
});
