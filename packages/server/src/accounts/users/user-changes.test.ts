import {
  createJournal,
  createManualClock,
  createMemoryLedger,
  MEMORY_LEDGER_LIMITS,
  silentLog,
} from "@steading/kernel";
import { expect, test } from "vitest";
import { callerNamed, createTrialAccounts, LOCAL, OTHER_PASSWORD, PASSWORD } from "../../testing/trial-accounts.ts";

const code = (name: string): unknown => expect.objectContaining({ code: name });

test("an account is there at once, with its record in the audit and its hash nowhere to be seen", async () => {
  const { accounts, changes, ledger } = createTrialAccounts();
  const made = await changes.create(LOCAL, {
    name: "Anna@Example.org",
    displayName: "Anna \u202EBerg",
    role: "operator",
    password: PASSWORD,
  });
  expect(made).toMatchObject({ id: 1, name: "anna@example.org", displayName: "Anna Berg", hasPassword: true });
  expect(accounts.find("ANNA@example.org")).toEqual(made);
  expect(accounts.byId(1)).toEqual(made);
  expect(ledger.records("audit").at(-1)).toMatchObject({
    kind: "user.created",
    data: { user: 1, name: "anna@example.org", role: "operator", by: "local", transport: "cli" },
  });
  const shown = JSON.stringify([accounts.list(), ledger.list("users"), ledger.records("audit")]);
  expect(shown).not.toContain("argon2");
  expect(JSON.stringify(ledger.list("user-passwords"))).not.toContain(PASSWORD);
});

test.each(["anna", "ANNA", "ａｎｎａ", " Anna "])("the name %s is taken by anna", async (name) => {
  const { changes } = createTrialAccounts();
  await changes.create(LOCAL, { name: "anna", role: "viewer" });
  await expect(changes.create(LOCAL, { name, role: "admin" })).rejects.toMatchObject({ code: "NAME_TAKEN" });
});

test("of two people who want a name at the same moment one gets it", async () => {
  const { accounts, changes } = createTrialAccounts();
  const tried = await Promise.allSettled(
    ["anna", "Anna", "ANNA"].map((name) => changes.create(LOCAL, { name, role: "viewer", password: PASSWORD })),
  );
  expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(accounts.list()).toHaveLength(1);
});

test("an id is never given to anybody else", async () => {
  const { changes } = createTrialAccounts();
  await changes.create(LOCAL, { name: "root", role: "admin" });
  await changes.create(LOCAL, { name: "anna", role: "viewer" });
  await changes.remove(LOCAL, "anna");
  expect(await changes.create(LOCAL, { name: "anna", role: "viewer" })).toMatchObject({ id: 3 });
});

test("a role that does not exist is refused", async () => {
  const { changes } = createTrialAccounts();
  // A caller without types could send anything.
  const role = "superuser" as "admin";
  await expect(changes.create(LOCAL, { name: "anna", role })).rejects.toMatchObject({ code: "ROLE_REFUSED" });
});

test("the last admin can be neither deleted, nor disabled, nor made less, not even twice at once", async () => {
  const { changes, accounts } = createTrialAccounts();
  await changes.create(LOCAL, { name: "anna", role: "admin" });
  await changes.create(LOCAL, { name: "otto", role: "viewer" });
  await expect(changes.remove(LOCAL, "anna")).rejects.toMatchObject({ code: "LAST_ADMIN" });
  await expect(changes.update(LOCAL, "anna", { disabled: true })).rejects.toMatchObject({ code: "LAST_ADMIN" });
  await expect(changes.update(LOCAL, "anna", { role: "operator" })).rejects.toMatchObject({ code: "LAST_ADMIN" });
  await changes.update(LOCAL, "otto", { role: "admin" });
  const both = await Promise.allSettled([changes.remove(LOCAL, "anna"), changes.remove(LOCAL, "otto")]);
  expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(accounts.list().map(({ name }) => name)).toEqual(["otto"]);
});

// @proves kernel.access.operator-not-dangerous mcp.auth.token-scope-narrows
test.each([
  ["a viewer", callerNamed("vera", { role: "viewer" })],
  ["an operator", callerNamed("otto", { role: "operator" })],
  ["somebody who claims to be an admin", callerNamed("vera", { role: "admin" })],
  ["an admin with a narrowed token", callerNamed("anna", { role: "admin", scope: { role: "viewer" } })],
  ["an admin with a token for some tools", callerNamed("anna", { role: "admin", scope: { toolsets: ["subjects"] } })],
  ["somebody who was deleted", callerNamed("gone", { role: "admin" })],
])("%s changes nobody's account", async (_who, caller) => {
  const { changes, ledger } = createTrialAccounts();
  await changes.create(LOCAL, { name: "anna", role: "admin" });
  await changes.create(LOCAL, { name: "vera", role: "viewer" });
  await changes.create(LOCAL, { name: "otto", role: "operator" });
  const before = ledger.lastSeq("audit");
  const tried = await Promise.allSettled([
    changes.create(caller, { name: "eve", role: "admin" }),
    changes.update(caller, "vera", { role: "admin" }),
    changes.setPassword(caller, "anna", PASSWORD),
    changes.endLogins(caller, "root"),
    changes.remove(caller, "anna"),
    changes.createToken(caller, { owner: "admin", label: "x" }),
    changes.createToken(caller, { owner: "anna", label: "x" }),
    changes.importAccounts(caller, []),
  ]);
  expect(tried.map(({ status }) => status)).toEqual(tried.map(() => "rejected"));
  expect(ledger.lastSeq("audit")).toBe(before);
});

test("on a full disk nobody is made, and rights can still be taken away", async () => {
  const clock = createManualClock();
  const ledger = createMemoryLedger({ clock, limits: { ...MEMORY_LEDGER_LIMITS, entries: 8 } });
  const { accounts, changes } = createTrialAccounts({
    ledger,
    journal: createJournal({ ledger, clock, log: silentLog }),
  });
  await changes.create(LOCAL, { name: "root", role: "admin" });
  await changes.create(LOCAL, { name: "anna", role: "admin" });
  const { token, info } = await changes.createToken(LOCAL, { owner: "anna", label: "laptop" });
  const spare = await changes.createToken(LOCAL, { owner: "anna", label: "phone" });
  await changes.createToken(LOCAL, { owner: "anna", label: "watch" });
  const before = ledger.lastSeq("audit");
  await expect(changes.create(LOCAL, { name: "otto", role: "admin" })).rejects.toMatchObject({ code: "STORE_FULL" });
  expect(accounts.find("otto")).toBeUndefined();
  expect(ledger.lastSeq("audit")).toBe(before);
  await changes.revokeToken(LOCAL, info.id);
  await changes.update(LOCAL, "anna", { disabled: true });
  expect(await accounts.authenticate(token)).toBeUndefined();
  expect(await accounts.authenticate(spare.token)).toBeUndefined();
});

test("a disabled account keeps its tokens for later and loses its logins for good", async () => {
  const { accounts, changes } = createTrialAccounts();
  await changes.create(LOCAL, { name: "root", role: "admin" });
  await changes.create(LOCAL, { name: "anna", role: "operator", password: PASSWORD });
  const { token: login } = await accounts.login({ name: "anna", password: PASSWORD, address: "192.0.2.1" });
  const { token } = await changes.createToken(LOCAL, { owner: "anna", label: "laptop" });
  await changes.update(LOCAL, "anna", { disabled: true });
  expect(await accounts.authenticate(token)).toBeUndefined();
  expect(await accounts.authenticate(login)).toBeUndefined();
  await changes.update(LOCAL, "anna", { disabled: false });
  expect(await accounts.authenticate(token)).toMatchObject({ principal: "anna", role: "operator" });
  expect(await accounts.authenticate(login)).toBeUndefined();
});

test("a deleted account takes tokens, logins and password along, and its name starts from nothing", async () => {
  const { accounts, changes, ledger } = createTrialAccounts();
  await changes.create(LOCAL, { name: "root", role: "admin" });
  await changes.create(LOCAL, { name: "anna", role: "operator", password: PASSWORD });
  const { token: login } = await accounts.login({ name: "anna", password: PASSWORD, address: "192.0.2.1" });
  const { token } = await changes.createToken(LOCAL, { owner: "anna", label: "laptop" });
  await accounts.authenticate(token);
  await changes.remove(LOCAL, "anna");
  await changes.create(LOCAL, { name: "anna", role: "viewer" });
  expect(await accounts.authenticate(token)).toBeUndefined();
  expect(await accounts.authenticate(login)).toBeUndefined();
  for (const space of ["access-tokens", "access-token-use", "user-passwords", "user-logins"])
    expect(ledger.list(space)).toEqual([]);
});

test("a password is set by an admin and changed by its owner, and both end logins", async () => {
  const { accounts, changes } = createTrialAccounts();
  await changes.create(LOCAL, { name: "anna", role: "operator", password: PASSWORD });
  const address = "192.0.2.1";
  const first = await accounts.login({ name: "anna", password: PASSWORD, address });
  const kept = await accounts.login({ name: "anna", password: PASSWORD, address });
  const anna = callerNamed("anna", { role: "operator" });
  const wanted = { current: PASSWORD, password: OTHER_PASSWORD, address };
  await changes.changePassword(anna, { ...wanted, keep: kept.token });
  expect(await accounts.authenticate(first.token)).toBeUndefined();
  expect(await accounts.authenticate(kept.token)).toMatchObject({ principal: "anna" });
  await expect(changes.changePassword(anna, wanted)).rejects.toMatchObject({ code: "LOGIN_FAILED" });
  await changes.setPassword(LOCAL, "anna", PASSWORD);
  expect(await accounts.authenticate(kept.token)).toBeUndefined();
  await expect(accounts.login({ name: "anna", password: OTHER_PASSWORD, address })).rejects.toEqual(
    code("LOGIN_FAILED"),
  );
  expect((await accounts.login({ name: "anna", password: PASSWORD, address })).account.name).toBe("anna");
});

test("guessing the current password with a stolen token is slowed down as a login is", async () => {
  const { changes } = createTrialAccounts();
  await changes.create(LOCAL, { name: "anna", role: "operator", password: PASSWORD });
  const guess = () =>
    changes
      .changePassword(callerNamed("anna"), { current: "wrong guess", password: OTHER_PASSWORD, address: "192.0.2.1" })
      .catch((error: { code: string }) => error.code);
  const answers: unknown[] = [];
  for (let i = 0; i < 6; i++) answers.push(await guess());
  expect(answers).toEqual([...Array.from({ length: 5 }, () => "LOGIN_FAILED"), "LOGIN_THROTTLED"]);
});

test("there are no more accounts than there is room for", async () => {
  const { changes } = createTrialAccounts({ limits: { accounts: 2 } });
  await changes.create(LOCAL, { name: "a", role: "admin" });
  await changes.create(LOCAL, { name: "b", role: "viewer" });
  await expect(changes.create(LOCAL, { name: "c", role: "viewer" })).rejects.toMatchObject({
    code: "TOO_MANY_ACCOUNTS",
  });
});

test("everybody who remembers rights is told whose changed, and nobody is bothered by a new display name", async () => {
  const { accounts, changes } = createTrialAccounts();
  const told: unknown[] = [];
  accounts.onChange((principal) => told.push(principal));
  await changes.create(LOCAL, { name: "root", role: "admin" });
  await changes.create(LOCAL, { name: "anna", role: "viewer" });
  await changes.update(LOCAL, "anna", { displayName: "Anna Berg" });
  expect(told).toEqual([]);
  await changes.update(LOCAL, "anna", { role: "operator" });
  await changes.update(LOCAL, "anna", { disabled: true });
  await changes.endLogins(LOCAL, "anna");
  await changes.remove(LOCAL, "anna");
  expect(told).toEqual(["anna", "anna", "anna", "anna"]);
});
