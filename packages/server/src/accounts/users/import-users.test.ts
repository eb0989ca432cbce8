import { hashSync } from "bcryptjs";
import { expect, test } from "vitest";
import { createTrialAccounts, LOCAL, PASSWORD } from "../../testing/trial-accounts.ts";

const bcrypt = hashSync(PASSWORD, 4);
const address = "192.0.2.1";

test("imported people log in with the password they had, and their hash is replaced the first time", async () => {
  const { accounts, changes, ledger } = createTrialAccounts();
  await changes.importAccounts(LOCAL, [
    { id: 7, name: "Farmer@Example.org", displayName: "The farmer", role: "admin", passwordHash: bcrypt },
  ]);
  const hash = (): string => JSON.stringify(ledger.get("user-passwords", "7")?.value);
  expect(hash()).toContain("$2b$04$");
  const login = () => accounts.login({ name: "farmer@example.org", password: PASSWORD, address });
  expect((await login()).account).toMatchObject({ id: 7, displayName: "The farmer", role: "admin" });
  expect(hash()).toContain("$argon2id$");
  expect((await login()).account.id).toBe(7);
  expect(accounts.counters.rehashed).toBe(1);
  await expect(accounts.login({ name: "farmer@example.org", password: "wrong", address })).rejects.toMatchObject({
    code: "LOGIN_FAILED",
  });
});

test("a wrong password leaves an imported hash as it is", async () => {
  const { accounts, changes, ledger } = createTrialAccounts();
  await changes.importAccounts(LOCAL, [{ name: "otto", role: "viewer", passwordHash: bcrypt }]);
  await expect(accounts.login({ name: "otto", password: "wrong", address })).rejects.toMatchObject({
    code: "LOGIN_FAILED",
  });
  expect(JSON.stringify(ledger.get("user-passwords", "1")?.value)).toContain(bcrypt);
});

test("what cannot be taken over is named with the reason, and the rest is one commit", async () => {
  const { changes, ledger } = createTrialAccounts();
  await changes.create(LOCAL, { name: "anna", role: "admin" });
  const before = ledger.lastSeq("audit");
  const { imported, skipped } = await changes.importAccounts(LOCAL, [
    { id: 1, name: "berta", role: "viewer", passwordHash: bcrypt },
    { id: 9, name: "carl", role: "operator", passwordHash: bcrypt, disabled: true },
    { id: -4, name: "dora", role: "viewer", passwordHash: bcrypt },
    { name: "ANNA", role: "admin", passwordHash: bcrypt },
    { name: "Carl", role: "admin", passwordHash: bcrypt },
    { name: "аnna", role: "admin", passwordHash: bcrypt },
    { name: "emil", role: "admin", passwordHash: "plain text" },
    { name: "local", role: "admin", passwordHash: bcrypt },
  ]);
  expect(imported.map(({ id, name, disabled }) => [id, name, disabled])).toEqual([
    [10, "berta", false],
    [9, "carl", true],
    [11, "dora", false],
  ]);
  expect(skipped.map(({ name }) => name)).toEqual(["ANNA", "Carl", "аnna", "emil", "local"]);
  expect(ledger.lastSeq("audit")).toBe(before + 1);
  expect(JSON.stringify(ledger.records("audit"))).not.toContain("$2b$");
  expect(await changes.create(LOCAL, { name: "fritz", role: "viewer" })).toMatchObject({ id: 12 });
});

test("nothing to import is no commit", async () => {
  const { changes, ledger } = createTrialAccounts();
  expect(await changes.importAccounts(LOCAL, [])).toEqual({ imported: [], skipped: [] });
  expect(ledger.lastSeq("audit")).toBe(0);
});
