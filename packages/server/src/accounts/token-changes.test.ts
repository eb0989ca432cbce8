import { hours, millis } from "@steading/kernel";
import { expect, test } from "vitest";
import { callerNamed, createTrialAccounts, LOCAL } from "../testing/trial-accounts.ts";

async function setUp(given: Parameters<typeof createTrialAccounts>[0] = {}) {
  const trial = createTrialAccounts(given);
  await trial.changes.create(LOCAL, { name: "root", role: "admin" });
  await trial.changes.create(LOCAL, { name: "anna", role: "operator" });
  return { ...trial, anna: callerNamed("anna", { role: "operator" }) };
}

test("a token is shown once, kept as a hash, and listed by its beginning and its last use", async () => {
  const { accounts, changes, anna, clock, ledger } = await setUp();
  const { token, info } = await changes.createToken(anna, {
    owner: "Anna",
    label: "my\u0007 laptop",
    validFor: hours(1),
  });
  expect(info).toEqual({
    id: info.id,
    owner: "anna",
    label: "my laptop",
    role: "operator",
    prefix: token.slice(0, 10),
    createdAt: clock.now(),
    expiresAt: clock.now() + hours(1),
  });
  await accounts.authenticate(token);
  expect(accounts.tokens("anna")).toEqual([{ ...info, lastUsedAt: clock.now() }]);
  expect(accounts.tokens("root")).toEqual([]);
  const everything = JSON.stringify([
    ["access-tokens", "access-token-use", "users"].map((space) => ledger.list(space)),
    ledger.records("audit"),
  ]);
  expect(everything).not.toContain(token);
  expect(ledger.records("audit").at(-1)).toMatchObject({
    kind: "token.created",
    data: { token_id: info.id, principal: "anna", by: "anna", transport: "http" },
  });
});

test("owners handle their own tokens, admins everybody's, others none", async () => {
  const { changes, accounts, anna } = await setUp();
  const root = callerNamed("root", { role: "admin" });
  const { info } = await changes.createToken(root, { owner: "root", label: "root" });
  await expect(changes.revokeToken(anna, info.id)).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  await expect(changes.createToken(anna, { owner: "root", label: "x" })).rejects.toMatchObject({
    code: "ACCESS_DENIED",
  });
  const mine = await changes.createToken(anna, { owner: "anna", label: "mine" });
  await changes.revokeToken(root, mine.info.id);
  expect(accounts.tokens().map(({ owner }) => owner)).toEqual(["root"]);
  await expect(changes.revokeToken(root, mine.info.id)).rejects.toMatchObject({ code: "TOKEN_UNKNOWN" });
});

test("a token can never make a wider one: not by its scope, not by its role, not by time", async () => {
  const { accounts, changes } = await setUp();
  const narrow = await changes.createToken(LOCAL, { owner: "anna", label: "display", role: "viewer" });
  const who = await accounts.authenticate(narrow.token);
  expect(who).toEqual({
    principal: "anna",
    role: "operator",
    scope: { role: "viewer" },
    credential: expect.stringMatching(/^token:[0-9a-f]{16}$/) as string,
  });
  const display = callerNamed("anna", { ...who });
  await expect(changes.createToken(display, { owner: "anna", label: "wider" })).rejects.toMatchObject({
    code: "ACCESS_DENIED",
  });
  const old = await changes.createToken(LOCAL, { owner: "anna", label: "old" });
  await changes.update(LOCAL, "anna", { role: "admin" });
  const stillOperator = callerNamed("anna", { ...(await accounts.authenticate(old.token)) });
  expect(stillOperator.role).toBe("operator");
  const child = await changes.createToken(stillOperator, { owner: "anna", label: "child" });
  expect(child.info.role).toBe("operator");
  expect(await accounts.authenticate(child.token)).toMatchObject({ role: "operator" });
});

test("an account has so many tokens, and those whose time is over do not count and go", async () => {
  const { accounts, changes, clock, ledger } = await setUp({ limits: { tokensPerAccount: 2 } });
  const make = () => changes.createToken(LOCAL, { owner: "anna", label: "short", validFor: hours(1) });
  await make();
  await make();
  await expect(make()).rejects.toMatchObject({ code: "TOO_MANY_TOKENS" });
  await clock.advance(hours(1));
  await make();
  expect(accounts.tokens("anna")).toHaveLength(1);
  expect(ledger.list("access-tokens")).toHaveLength(1);
});

test.each([millis(0), millis(-1), millis(Number.NaN), millis(Infinity), hours(24 * 4_000)])(
  "a token for %d ms is refused",
  async (validFor) => {
    const { changes } = await setUp();
    await expect(changes.createToken(LOCAL, { owner: "anna", label: "x", validFor })).rejects.toMatchObject({
      code: "TOKEN_SCOPE_REFUSED",
    });
  },
);

test("a token for nobody is refused", async () => {
  const { changes } = await setUp();
  await expect(changes.createToken(LOCAL, { owner: "nobody", label: "x" })).rejects.toMatchObject({
    code: "ACCOUNT_UNKNOWN",
  });
});

test("the first admin is made once, with the token that was given, in one commit", async () => {
  const { accounts, ledger } = createTrialAccounts();
  const given = "a token of more than thirty-two characters";
  expect(await accounts.bootstrap(given)).toEqual({ name: "admin", token: given });
  expect(await accounts.authenticate(given)).toEqual({
    principal: "admin",
    role: "admin",
    credential: `token:${accounts.tokens()[0]?.id}`,
  });
  expect(accounts.tokens()[0]?.prefix).toBeUndefined();
  expect(await accounts.bootstrap()).toBeUndefined();
  expect(ledger.records("audit").map(({ kind }) => kind)).toEqual(["user.created", "token.created"]);
  expect(ledger.list("user-passwords")).toEqual([]);
  const other = createTrialAccounts();
  await expect(other.accounts.bootstrap("short")).rejects.toMatchObject({ code: "TOKEN_TOO_SHORT" });
  expect(other.accounts.list()).toEqual([]);
});
