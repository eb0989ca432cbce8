import { hours, minutes, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createTrialAccounts, LOCAL, OTHER_PASSWORD, PASSWORD } from "../../testing/trial-accounts.ts";

const address = "192.0.2.1";

async function setUp(limits: Parameters<typeof createTrialAccounts>[0] = {}) {
  const trial = createTrialAccounts(limits);
  await trial.changes.create(LOCAL, { name: "root", role: "admin" });
  await trial.changes.create(LOCAL, { name: "anna", role: "operator", password: PASSWORD });
  const login = (name = "anna", password = PASSWORD, from = address) =>
    trial.accounts.login({ name, password, address: from });
  const answer = (name: string, password: string, from?: string): Promise<string> =>
    login(name, password, from).then(
      () => "in",
      (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
    );
  return { ...trial, login, answer };
}

// @proves mcp.auth.farm-login-token
test("a login is a token of this hub that says who, never what they may do", async () => {
  const { accounts, clock, login } = await setUp();
  const { token, account, expiresAt } = await login("ANNA");
  expect(account).toMatchObject({ name: "anna", role: "operator", lastLoginAt: clock.now() });
  expect(expiresAt).toBe(clock.now() + hours(24));
  const [header, payload] = token.split(".").map((part) => Buffer.from(part, "base64url").toString());
  expect(JSON.parse(header ?? "")).toEqual({ alg: "HS256", typ: "JWT" });
  expect(Object.keys(JSON.parse(payload ?? "") as object).toSorted()).toEqual(["exp", "iat", "jti", "userId"]);
  expect(await accounts.authenticate(token)).toEqual({
    principal: "anna",
    role: "operator",
    expiresAt,
    credential: expect.stringMatching(/^login:\d+:[0-9a-f-]{36}$/) as string,
  });
  expect(await accounts.loginOf(token)).toMatchObject({ account: { name: "anna" }, expiresAt });
});

test("a token may say another end than its login has; whichever comes first counts", async () => {
  const { accounts, clock } = await setUp();
  const saysUntil = (token: string): number =>
    (JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { exp: number }).exp * 1_000;
  const given = { name: "anna", password: PASSWORD, address, tokenFor: hours(8) };
  const short = await accounts.login({ ...given, validFor: hours(1) });
  const long = await accounts.login({ ...given, validFor: hours(12) });
  expect([saysUntil(short.token), saysUntil(long.token)]).toEqual([clock.now() + hours(8), clock.now() + hours(8)]);
  expect([short.expiresAt, long.expiresAt]).toEqual([clock.now() + hours(1), clock.now() + hours(12)]);
  await clock.advance(hours(1));
  expect(await accounts.authenticate(short.token)).toBeUndefined();
  expect(await accounts.authenticate(long.token)).toMatchObject({ principal: "anna" });
  await clock.advance(hours(7));
  expect(await accounts.authenticate(long.token)).toBeUndefined();
});

// @proves farm.auth.purge
test("logins whose time is over are forgotten when asked to; those that stand stay", async () => {
  const { accounts, clock, ledger } = await setUp();
  const given = { name: "anna", password: PASSWORD, address };
  await accounts.login({ ...given, validFor: hours(1) });
  const { token } = await accounts.login({ ...given, validFor: hours(3) });
  expect(await accounts.purgeLogins()).toBe(0);
  await clock.advance(hours(2));
  expect(await accounts.purgeLogins()).toBe(1);
  const rows = ledger.list("user-logins").flatMap(({ entry }) => (entry.value as { logins: unknown[] }).logins);
  expect(rows).toHaveLength(1);
  expect(await accounts.authenticate(token)).toMatchObject({ principal: "anna" });
});

// @proves mcp.auth.account-change-drops-cache
test("the role is the account's at the moment of asking", async () => {
  const { accounts, changes, login } = await setUp();
  const { token } = await login();
  await changes.update(LOCAL, "anna", { role: "viewer" });
  expect(await accounts.authenticate(token)).toMatchObject({ role: "viewer" });
  await changes.update(LOCAL, "anna", { role: "admin" });
  expect(await accounts.authenticate(token)).toMatchObject({ role: "admin" });
});

test("wrong password, unknown name, disabled account, no password and nonsense are told alike", async () => {
  const { changes, answer } = await setUp();
  await changes.create(LOCAL, { name: "otto", role: "viewer", password: PASSWORD });
  await changes.update(LOCAL, "otto", { disabled: true });
  const answers = [
    await answer("anna", "wrong"),
    await answer("nobody", PASSWORD),
    await answer("otto", PASSWORD),
    await answer("root", ""),
    await answer("../../etc", PASSWORD),
    await answer("anna", "x".repeat(5_000_000)),
    await answer("", ""),
  ];
  expect(new Set(answers)).toEqual(new Set(["LOGIN_FAILED: The name or the password is wrong."]));
});

test("every failure takes the same time to be answered, whatever its work was", async () => {
  const { clock, login } = await setUp({ limits: { failureAnswer: seconds(1) } });
  for (const [name, password] of [
    ["anna", "wrong"],
    ["nobody", "wrong"],
  ] as const) {
    let answered = false;
    const failing = login(name, password).catch(() => (answered = true));
    await expect.poll(() => clock.pending).toBe(1);
    expect(answered).toBe(false);
    await clock.advance(seconds(1));
    await failing;
    expect(answered).toBe(true);
  }
});

test("brute force is slowed down by name and address, says how long to wait, and never locks anybody out", async () => {
  const { accounts, clock, answer, login } = await setUp();
  for (let i = 0; i < 5; i++) expect(await answer("anna", `guess ${i}`)).toMatch(/^LOGIN_FAILED/);
  await expect(login("anna", PASSWORD)).rejects.toMatchObject({
    code: "LOGIN_THROTTLED",
    retryable: true,
    details: { retry_after: 30 },
  });
  expect(await answer("anna", PASSWORD, "198.51.100.1")).toBe("in");
  await clock.advance(seconds(30));
  expect(await answer("anna", PASSWORD)).toBe("in");
  expect(accounts.counters).toMatchObject({ failedLogins: 5, throttledLogins: 1, logins: 2 });
});

test("a storm of parallel guesses gets five of them looked at", async () => {
  const { accounts, answer } = await setUp();
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => answer("anna", `guess ${i}`)));
  expect(answers.filter((each) => each.startsWith("LOGIN_FAILED"))).toHaveLength(5);
  expect(answers.filter((each) => each.startsWith("LOGIN_THROTTLED"))).toHaveLength(195);
  expect(accounts.counters.throttled).toBeLessThan(10);
});

test("a hub that is busy checking passwords says so and counts it against nobody", async () => {
  const { answer } = await setUp({ limits: { hashing: 1, hashingWaiting: 0 } });
  const answers = await Promise.all(Array.from({ length: 5 }, () => answer("anna", "wrong")));
  expect(answers.filter((each) => each.startsWith("LOGIN_BUSY"))).toHaveLength(4);
  for (let i = 0; i < 4; i++) expect(await answer("anna", "wrong")).toMatch(/^LOGIN_FAILED/);
  expect(await answer("anna", "wrong")).toMatch(/^LOGIN_THROTTLED/);
});

test("a login ends when its time is over, also where the token itself is trusted", async () => {
  const { accounts, clock, login } = await setUp();
  const { token } = await login();
  await clock.advance(hours(23));
  expect(await accounts.authenticate(token)).toBeDefined();
  await clock.advance(hours(1));
  expect(await accounts.authenticate(token)).toBeUndefined();
  expect(await accounts.loginOf(token)).toBeUndefined();
});

test("another lifetime may be asked for, up to a month", async () => {
  const { accounts, clock } = await setUp();
  const asked = { name: "anna", password: PASSWORD, address };
  expect((await accounts.login({ ...asked, validFor: hours(8) })).expiresAt).toBe(clock.now() + hours(8));
  expect((await accounts.login({ ...asked, validFor: hours(9_999) })).expiresAt).toBe(clock.now() + hours(720));
});

test("logging out ends one login and no other", async () => {
  const { accounts, ledger, login } = await setUp();
  const [one, two] = [await login(), await login()];
  expect(await accounts.logout(one.token)).toBe(true);
  expect(await accounts.logout(one.token)).toBe(false);
  expect(await accounts.authenticate(one.token)).toBeUndefined();
  expect(await accounts.authenticate(two.token)).toBeDefined();
  expect(ledger.records("audit").map(({ kind }) => kind)).toEqual([
    "user.created",
    "user.created",
    "user.logged-in",
    "user.logged-in",
    "user.logged-out",
  ]);
});

test("an account has so many logins; the oldest gives way and everybody who remembers it is told", async () => {
  const { accounts, login } = await setUp({ limits: { loginsPerAccount: 2 } });
  const told: unknown[] = [];
  accounts.onChange((principal) => told.push(principal));
  const [one, two] = [await login(), await login()];
  expect(told).toEqual([]);
  const three = await login();
  expect(told).toEqual(["anna"]);
  expect(await accounts.authenticate(one.token)).toBeUndefined();
  expect(await accounts.authenticate(two.token)).toBeDefined();
  expect(await accounts.authenticate(three.token)).toBeDefined();
});

test("an account that is disabled, or gets another password, while its password is checked does not get in", async () => {
  const { changes, login } = await setUp();
  const entering = login();
  await changes.update(LOCAL, "anna", { disabled: true });
  await expect(entering).rejects.toMatchObject({ code: "LOGIN_FAILED" });
  await changes.update(LOCAL, "anna", { disabled: false });
  const changing = changes.setPassword(LOCAL, "anna", OTHER_PASSWORD);
  const slow = Promise.allSettled(Array.from({ length: 4 }, () => login()));
  await changing;
  const late = await slow;
  expect(late.some(({ status }) => status === "rejected")).toBe(true);
});

test("failures are forgotten after a quiet while, so that memory does not grow with time", async () => {
  const { accounts, clock, answer } = await setUp();
  await answer("anna", "wrong");
  expect(accounts.counters.throttled).toBeGreaterThan(0);
  await clock.advance(minutes(20));
  expect(await answer("anna", PASSWORD)).toBe("in");
  expect(accounts.counters.throttled).toBe(1); // where anna is known
});
