import { readdirSync, readFileSync } from "node:fs";
import { createJournal, createRealClock, millis, silentLog, type Caller } from "@steading/kernel";
import { createAccounts } from "@steading/server";
import { openStore } from "@steading/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { secret } from "../support/run-record.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

const LOCAL: Caller = { principal: "local", role: "admin", transport: "cli", correlation: "test" };
const PASSWORD = secret("mole carries lantern");
const SECRET = new TextEncoder().encode("Qm3vT8xK1nZ6rB9wL4yH7cD2fG5jP0sU");

let folder: TemporaryFolder;
beforeEach(async () => void (folder = await createTemporaryFolder()));
afterEach(() => folder.remove());

async function open(secret = SECRET) {
  const clock = createRealClock();
  const store = await openStore({ dir: folder.path, clock, log: silentLog });
  const { ledger } = store;
  const journal = createJournal({ ledger, clock, log: silentLog });
  const accounts = createAccounts({
    ledger,
    journal,
    clock,
    log: silentLog,
    secret,
    limits: { failureAnswer: millis(0) },
  });
  return { store, accounts };
}

test("accounts, tokens and logins outlive a restart; logins do not outlive their secret", async () => {
  const first = await open();
  await first.accounts.bootstrap("a token of more than thirty-two characters");
  await first.accounts.changes.create(LOCAL, { name: "anna", role: "operator", password: PASSWORD });
  const { token } = await first.accounts.changes.createToken(LOCAL, { owner: "anna", label: "laptop" });
  const login = await first.accounts.login({ name: "anna", password: PASSWORD, address: "192.0.2.1" });
  await first.accounts.changes.create(LOCAL, { name: "otto", role: "viewer" });
  await first.accounts.changes.remove(LOCAL, "otto");
  await first.store.close();

  const second = await open();
  expect(second.accounts.list().map(({ id, name }) => [id, name])).toEqual([
    [1, "admin"],
    [2, "anna"],
  ]);
  expect(await second.accounts.bootstrap()).toBeUndefined();
  expect(await second.accounts.authenticate(token)).toMatchObject({ principal: "anna", role: "operator" });
  expect(await second.accounts.authenticate(login.token)).toMatchObject({ principal: "anna" });
  await second.accounts.login({ name: "anna", password: PASSWORD, address: "192.0.2.1" });
  expect((await second.accounts.changes.create(LOCAL, { name: "vera", role: "viewer" })).id).toBe(4);
  await second.store.close();

  const third = await open(new TextEncoder().encode("another secret of thirty-two bytes and more"));
  expect(await third.accounts.authenticate(login.token)).toBeUndefined();
  expect(await third.accounts.authenticate(token)).toBeDefined();
  await third.store.close();
});

test("no file of the data directory holds a password or a token", async () => {
  const { store, accounts } = await open();
  const given = "a token of more than thirty-two characters";
  await accounts.bootstrap(given);
  await accounts.changes.create(LOCAL, { name: "anna", role: "operator", password: PASSWORD });
  const { token } = await accounts.changes.createToken(LOCAL, { owner: "anna", label: "laptop" });
  const login = await accounts.login({ name: "anna", password: PASSWORD, address: "192.0.2.1" });
  await accounts.login({ name: "anna", password: "a wrong guess of mine", address: "192.0.2.1" }).catch(() => {});
  await accounts.authenticate(token);
  await store.close();
  const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(1);
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(`${parentPath}/${name}`);
    for (const hidden of [given, token, login.token, PASSWORD, "a wrong guess of mine"])
      expect(bytes.includes(hidden)).toBe(false);
  }
});
