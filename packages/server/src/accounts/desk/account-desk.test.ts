import {
  createActionTools,
  createDispatcher,
  createDoor,
  createManualClock,
  createMemoryLedger,
  defineTool,
  millis,
  seconds,
  silentLog,
  type Caller,
} from "@steading/kernel";
import { createTrialDoor } from "@steading/kernel/testing";
import { expect, test } from "vitest";
import * as z from "zod";
import { callerNamed, LOCAL, OTHER_PASSWORD, PASSWORD, SECRET } from "../../testing/trial-accounts.ts";
import { createAccounts } from "../create-accounts.ts";
import { createAccountDesk } from "./account-desk.ts";
import { createAccountObserver } from "./account-observer.ts";

function setUp(access: "read" | "write" = "write") {
  const { clock, ledger, journal, approvals, reception } = createTrialDoor();
  const accounts = createAccounts({ ledger, journal, clock, log: silentLog, secret: SECRET });
  const door = createDoor({
    ledger,
    journal,
    approvals,
    reception,
    clock,
    log: silentLog,
    access: () => access,
    standing: accounts.standing,
  });
  const desk = createAccountDesk({ accounts, ledger, door, reception });
  return { clock, ledger, accounts, door, desk, local: desk.as(LOCAL) };
}

// @proves kernel.effect.accounts-through-door kernel.journal.audit-holds-effects-approvals-accounts
test("every change of users and tokens is an action with a receipt, observed in the ledger", async () => {
  const { accounts, ledger, door, desk, local } = setUp();
  const made = await desk.create(local, { name: "Anna", role: "admin", password: PASSWORD });
  expect(made).toMatchObject({ account: { name: "anna", hasPassword: true }, receipt: { stage: "observed" } });
  await desk.create(local, { name: "otto", role: "operator", displayName: "Otto" });
  const results = [
    await desk.update(local, "otto", { role: "viewer" }),
    await desk.update(local, "otto", { role: "admin" }),
    await desk.setPassword(local, "otto", PASSWORD),
    await desk.changePassword(desk.as(callerNamed("otto")), {
      current: PASSWORD,
      password: OTHER_PASSWORD,
      address: "192.0.2.1",
    }),
    await desk.endLogins(local, "otto"),
    await desk.createToken(local, { owner: "otto", label: "laptop" }),
  ];
  const [info] = accounts.tokens("otto");
  results.push(await desk.revokeToken(local, info?.id ?? ""), await desk.remove(local, "otto"));
  expect(results.map(({ receipt }) => receipt.stage)).toEqual(results.map(() => "observed"));
  expect(door.actions({ limit: 100 })).toHaveLength(10);
  const audit = JSON.stringify(ledger.records("audit"));
  for (const kind of [
    "effect.reserved",
    "user.created",
    "user.changed",
    "user.deleted",
    "token.created",
    "token.revoked",
  ])
    expect(audit).toContain(`"${kind}"`);
  for (const secret of [PASSWORD, OTHER_PASSWORD, "argon2"]) expect(audit).not.toContain(secret);
});

test("a token is shown once: a repeated call gets its record and nothing can be read out of the ledger", async () => {
  const { accounts, ledger, desk, local } = setUp();
  await desk.create(local, { name: "anna", role: "admin" });
  const keyed = desk.as(LOCAL, { idempotencyKey: "k1", tool: "create_token" });
  const first = await desk.createToken(keyed, { owner: "anna", label: "laptop" });
  const again = await desk.createToken(keyed, { owner: "anna", label: "laptop" });
  expect(first.token).toMatch(/^stead_/);
  expect(again.token).toBeUndefined();
  expect(again.info).toEqual(first.info);
  expect(accounts.tokens("anna")).toHaveLength(1);
  const spaces = ["actions", "keys", "access-tokens", "users"];
  const everything = JSON.stringify([spaces.map((space) => ledger.list(space)), ledger.records("audit")]);
  expect(everything).not.toContain(first.token);
});

// @proves kernel.access.read-refuses-every-live kernel.access.read-lets-safe-through
test("a read-only hub gives no rights and still takes them away", async () => {
  const { accounts, desk, local } = setUp("read");
  for (const name of ["anna", "otto"]) await accounts.changes.create(LOCAL, { name, role: "admin" });
  const { info } = await accounts.changes.createToken(LOCAL, { owner: "otto", label: "laptop" });
  const readOnly = { code: "SERVER_READ_ONLY" };
  await expect(desk.create(local, { name: "eve", role: "viewer" })).rejects.toMatchObject(readOnly);
  await expect(desk.createToken(local, { owner: "anna", label: "x" })).rejects.toMatchObject(readOnly);
  await desk.revokeToken(local, info.id);
  await desk.update(local, "otto", { role: "viewer" });
  await expect(desk.update(local, "otto", { role: "operator" })).rejects.toMatchObject(readOnly);
  await desk.update(local, "otto", { disabled: true });
  await expect(desk.update(local, "otto", { disabled: false })).rejects.toMatchObject(readOnly);
  await accounts.changes.setPassword(LOCAL, "anna", OTHER_PASSWORD);
  await desk.setPassword(local, "anna", PASSWORD);
  await desk.remove(local, "otto");
  expect(accounts.list().map(({ name }) => name)).toEqual(["anna"]);
});

test("a key belongs to one password: with another one it is a conflict, and the first one stays", async () => {
  const { accounts, desk, local } = setUp();
  const keyed = desk.as(LOCAL, { idempotencyKey: "k1" });
  const conflict = { code: "CONFLICT" };
  await desk.create(local, { name: "anna", role: "admin", password: PASSWORD });
  await desk.setPassword(keyed, "anna", OTHER_PASSWORD);
  await desk.setPassword(keyed, "anna", OTHER_PASSWORD);
  await expect(desk.setPassword(keyed, "anna", PASSWORD)).rejects.toMatchObject(conflict);
  expect(await accounts.login({ name: "anna", password: OTHER_PASSWORD, address: "192.0.2.1" })).toBeDefined();

  const own = desk.as(callerNamed("anna"), { idempotencyKey: "k1" });
  const change = { current: OTHER_PASSWORD, address: "192.0.2.1" };
  await desk.changePassword(own, { ...change, password: PASSWORD });
  await expect(desk.changePassword(own, { ...change, password: "badger reads slowly" })).rejects.toMatchObject(
    conflict,
  );
  expect(await accounts.login({ name: "anna", password: PASSWORD, address: "192.0.2.1" })).toBeDefined();

  const making = desk.as(LOCAL, { idempotencyKey: "k2" });
  await desk.create(making, { name: "otto", role: "viewer", password: PASSWORD });
  await expect(desk.create(making, { name: "otto", role: "viewer", password: OTHER_PASSWORD })).rejects.toMatchObject(
    conflict,
  );
});

test("a key belongs to one import, with the hashes in it", async () => {
  const { desk } = setUp();
  const keyed = desk.as(LOCAL, { idempotencyKey: "k1" });
  const account = { name: "anna", role: "admin" } as const;
  const hash = (end: string) => `$2b$10$kvTxHR3jnCYxzdKIAgVbY.bMaVXJqyHfC3dZVnpZ3nBzqBQqPJLh${end}`;
  await desk.importAccounts(keyed, [{ ...account, passwordHash: hash("K") }]);
  await expect(desk.importAccounts(keyed, [{ ...account, passwordHash: hash("e") }])).rejects.toMatchObject({
    code: "CONFLICT",
  });
});

test("what tells two passwords apart is slow to compute and is written down nowhere", async () => {
  const { accounts, ledger, desk } = setUp();
  const [first, again, other] = [
    await accounts.fingerprint([PASSWORD]),
    await accounts.fingerprint([PASSWORD]),
    await accounts.fingerprint([PASSWORD.slice(0, 4), PASSWORD.slice(4)]),
  ];
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  await desk.create(desk.as(LOCAL), { name: "anna", role: "admin", password: PASSWORD });
  const everything = JSON.stringify([ledger.list("actions"), ledger.list("keys"), ledger.records("audit")]);
  for (const secret of [first, PASSWORD]) expect(everything).not.toContain(secret);
});

test("a read-only hub changes no name and gives nobody a first password", async () => {
  const { accounts, desk, local } = setUp("read");
  const readOnly = { code: "SERVER_READ_ONLY" };
  await accounts.changes.create(LOCAL, { name: "anna", role: "admin", displayName: "Anna" });
  await accounts.changes.create(LOCAL, { name: "otto", role: "operator" });
  await expect(desk.update(local, "anna", { displayName: "Otto" })).rejects.toMatchObject(readOnly);
  await expect(desk.update(local, "anna", {})).rejects.toMatchObject(readOnly);
  await expect(desk.update(local, "otto", { disabled: true, displayName: "X" })).rejects.toMatchObject(readOnly);
  await expect(desk.setPassword(local, "anna", PASSWORD)).rejects.toMatchObject(readOnly);
  expect(accounts.find("anna")).toMatchObject({ displayName: "Anna", hasPassword: false });
});

test("taking rights away may be repeated on a read-only hub, also with the key that did it", async () => {
  const { accounts, desk, local } = setUp("read");
  for (const name of ["anna", "otto"]) await accounts.changes.create(LOCAL, { name, role: "admin" });
  const keyed = desk.as(LOCAL, { idempotencyKey: "k1" });
  const first = await desk.update(keyed, "otto", { disabled: true, displayName: "otto" });
  expect((await desk.update(keyed, "otto", { disabled: true, displayName: "otto" })).receipt).toEqual(first.receipt);
  await desk.update(local, "otto", { disabled: true });
  await desk.update(local, "otto", { role: "viewer", disabled: true });
});

// @proves kernel.receipt.observed-needs-inbound-after-ack
test("a change is called observed only once it is on disk", async () => {
  const clock = createManualClock();
  const slow = createMemoryLedger({ clock, latency: seconds(1) });
  const { journal, reception, door } = createTrialDoor({ ledger: slow, clock });
  const accounts = createAccounts({ ledger: slow, journal, clock, log: silentLog, secret: SECRET });
  const look = createAccountObserver({ accounts, ledger: slow, reception });
  const wanted = { see: "account", name: "anna", role: "admin", disabled: false };
  const making = accounts.changes.create(LOCAL, { name: "anna", role: "admin" });
  let seen = false;
  const looking = look(wanted)
    .read(new AbortController().signal)
    .then((arrival) => {
      seen = true;
      return arrival.value;
    });
  await clock.advance(millis(999));
  expect([accounts.find("anna")?.name, seen]).toEqual(["anna", false]);
  await clock.advance(millis(1));
  expect(await looking).toBe(true);
  await making;
  expect(door.actions()).toEqual([]);
});

test("what is refused is refused before anything is on record as sent, and frees its key", async () => {
  const { door, desk, local } = setUp();
  const keyed = desk.as(LOCAL, { idempotencyKey: "k1" });
  await expect(desk.create(keyed, { name: "anna", role: "admin", password: "short" })).rejects.toMatchObject({
    code: "PASSWORD_TOO_SHORT",
  });
  await desk.create(keyed, { name: "anna", role: "admin", password: PASSWORD });
  await expect(desk.remove(local, "anna")).rejects.toMatchObject({ code: "LAST_ADMIN" });
  await expect(desk.remove(local, "nobody")).rejects.toMatchObject({ code: "ACCOUNT_UNKNOWN" });
  expect(door.actions({ inDoubt: true })).toEqual([]);
});

test("an import is acknowledged, and whoever was skipped is named", async () => {
  const { desk, local } = setUp();
  const passwordHash = "$2b$10$kvTxHR3jnCYxzdKIAgVbY.bMaVXJqyHfC3dZVnpZ3nBzqBQqPJLhK";
  const result = await desk.importAccounts(local, [
    { name: "anna", role: "admin", passwordHash },
    { name: "Anna", role: "admin", passwordHash },
  ]);
  expect(result).toMatchObject({
    imported: [{ name: "anna" }],
    skipped: [{ name: "Anna" }],
    receipt: { stage: "acknowledged" },
  });
});

test("somebody without the right leaves no reservation behind", async () => {
  const { ledger, accounts, door, desk, local } = setUp();
  await desk.create(local, { name: "anna", role: "admin" });
  await desk.create(local, { name: "vera", role: "viewer" });
  const { info } = await accounts.changes.createToken(LOCAL, { owner: "anna", label: "laptop" });
  const before = [ledger.lastSeq("audit"), door.actions().length];
  const vera = desk.as(callerNamed("vera"));
  for (const attempt of [
    () => desk.revokeToken(vera, info.id),
    () => desk.endLogins(vera, "anna"),
    () => desk.createToken(vera, { owner: "anna", label: "mine" }),
    () => desk.update(vera, "vera", { role: "admin" }),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  expect([ledger.lastSeq("audit"), door.actions().length]).toEqual(before);
});

test("the door asks for the rights of this moment", async () => {
  const { accounts, desk, local } = setUp();
  await desk.create(local, { name: "anna", role: "admin" });
  await desk.create(local, { name: "otto", role: "admin" });
  const otto = desk.as(callerNamed("otto", { role: "admin" }));
  await desk.create(otto, { name: "vera", role: "viewer" });
  await accounts.changes.update(LOCAL, "otto", { role: "operator" });
  await expect(desk.create(otto, { name: "eve", role: "admin" })).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  await accounts.changes.update(LOCAL, "otto", { disabled: true });
  await expect(desk.endLogins(otto, "otto")).rejects.toMatchObject({ code: "ACCESS_DENIED" });
});

test("the context of a tool's handler is an asker", async () => {
  const { clock, accounts, door, desk } = setUp();
  const createUser = defineTool({
    name: "create_user",
    title: "Create a user",
    summary: "Makes an account.",
    input: z.strictObject({ name: z.string() }),
    intent: "MUTATE",
    minimumRole: "admin",
    handler: async ({ name }, context) => {
      const { account } = await desk.create(context, { name, role: "viewer" });
      return { name: account.name };
    },
  });
  const toolsets = [{ name: "accounts", tools: [createUser] }, createActionTools({ door })];
  const dispatcher = createDispatcher({ toolsets, door, clock, log: silentLog });
  const call = (caller: Caller) => dispatcher.call({ tool: "create_user", arguments: { name: "anna" }, caller });
  expect(await call(LOCAL)).toMatchObject({ kind: "answer", structured: { name: "anna" } });
  expect(await call({ ...LOCAL, role: "operator" })).toEqual({ kind: "unknown-tool" });
  expect(accounts.find("anna")).toBeDefined();
  expect(door.actions()[0]).toMatchObject({ tool: "create_user", principal: "local" });
});

test("standing follows the account down and never widens what came", async () => {
  const { accounts } = setUp();
  await accounts.changes.create(LOCAL, { name: "anna", role: "admin" });
  await accounts.changes.create(LOCAL, { name: "otto", role: "operator" });
  expect(accounts.standing(callerNamed("otto", { role: "admin" }))?.role).toBe("operator");
  expect(accounts.standing(callerNamed("anna", { role: "viewer" }))?.role).toBe("viewer");
  expect(accounts.standing(callerNamed("nobody"))).toBeUndefined();
  for (const principal of ["local", "automation:7", "keycloak:abc"]) {
    const caller = callerNamed(principal, { role: "operator" });
    expect(accounts.standing(caller)).toBe(caller);
  }
});
