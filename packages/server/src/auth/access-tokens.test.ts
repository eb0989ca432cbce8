import { createManualClock, createMemoryLedger, hours, minutes, type Role } from "@steading/kernel";
import { expect, test } from "vitest";
import { createAccessTokens } from "./access-tokens.ts";

function setUp() {
  const clock = createManualClock();
  const ledger = createMemoryLedger({ clock });
  return { clock, ledger, tokens: createAccessTokens({ ledger, clock }) };
}

test("a token opens the door for its principal and role", async () => {
  const { tokens } = setUp();
  const { token } = await tokens.create({
    principal: "anna",
    role: "operator",
    label: "laptop",
    scope: { toolsets: ["farm"] },
  });
  expect(await tokens.authenticate(token)).toEqual({
    principal: "anna",
    role: "operator",
    scope: { toolsets: ["farm"] },
    credential: expect.stringMatching(/^token:[0-9a-f]{16}$/) as string,
  });
});

test("the ledger never holds the token itself", async () => {
  const { tokens, ledger } = setUp();
  const { token } = await tokens.create({ principal: "anna", role: "admin", label: "laptop" });
  const everything = JSON.stringify([ledger.list("access-tokens"), ledger.records("audit")]);
  expect(everything).not.toContain(token);
  expect(ledger.records("audit").map((record) => record.kind)).toEqual(["token.created"]);
});

test("a secret that somebody writes into a label does not reach the records", async () => {
  const { tokens, ledger } = setUp();
  await tokens.create({ principal: "anna", role: "admin", label: "was Bearer abcdefghijklmnop before" });
  expect(ledger.records("audit")[0]?.data["label"]).toBe("was Bearer [redacted] before");
});

test("an expired token opens nothing", async () => {
  const { tokens, clock } = setUp();
  const { token } = await tokens.create({ principal: "anna", role: "admin", label: "laptop", validFor: hours(1) });
  expect(await tokens.authenticate(token)).toMatchObject({ expiresAt: clock.now() + hours(1) });
  await clock.advance(hours(1));
  expect(await tokens.authenticate(token)).toBeUndefined();
});

test("a revoked token opens nothing, and everybody who remembers it is told", async () => {
  const { tokens, ledger } = setUp();
  const { token, record } = await tokens.create({ principal: "anna", role: "admin", label: "laptop" });
  let told = 0;
  tokens.onChange?.(() => told++);
  await tokens.revoke(record.id);
  expect(await tokens.authenticate(token)).toBeUndefined();
  expect(told).toBe(1);
  expect(tokens.list()).toEqual([]);
  expect(ledger.records("audit").at(-1)).toMatchObject({ kind: "token.revoked", data: { token_id: record.id } });
});

test("revoking a token that is not there names the id", async () => {
  await expect(setUp().tokens.revoke("nobody")).rejects.toMatchObject({ code: "TOKEN_UNKNOWN" });
});

test("the first start makes one admin token, later starts none", async () => {
  const { tokens } = setUp();
  const first = await tokens.ensureBootstrap();
  expect(first?.token.length).toBeGreaterThanOrEqual(32);
  expect(await tokens.authenticate(first?.token ?? "")).toMatchObject({ role: "admin" });
  expect(await tokens.ensureBootstrap()).toBeUndefined();
});

test("a given first token is taken when it is long enough", async () => {
  const { tokens } = setUp();
  const given = "a".repeat(32);
  await tokens.ensureBootstrap(given);
  expect(await tokens.authenticate(given)).toMatchObject({ role: "admin" });
});

test("a short first token is refused and leaves nothing behind", async () => {
  const { tokens } = setUp();
  await expect(tokens.ensureBootstrap("a".repeat(31))).rejects.toMatchObject({ code: "TOKEN_TOO_SHORT" });
  expect(tokens.list()).toEqual([]);
});

test("a list shows how a token begins and when it was last used, never the token", async () => {
  const { tokens, clock } = setUp();
  const { token, record } = await tokens.create({ principal: "anna", role: "admin", label: "laptop" });
  expect(record.prefix).toBe(token.slice(0, 10));
  expect(tokens.lastUsedAt(record.id)).toBeUndefined();
  await clock.advance(hours(1));
  await tokens.authenticate(token);
  expect(tokens.lastUsedAt(record.id)).toBe(clock.now());
  await clock.advance(minutes(4));
  await tokens.authenticate(token);
  expect(tokens.lastUsedAt(record.id)).toBe(clock.now() - minutes(4));
  await clock.advance(minutes(1));
  await tokens.authenticate(token);
  expect(tokens.lastUsedAt(record.id)).toBe(clock.now());
  expect(JSON.stringify(tokens.list())).not.toContain(token);
});

test("a token that was given shows no part of itself", async () => {
  const { tokens } = setUp();
  const first = await tokens.ensureBootstrap("correct horse battery staple of mine");
  expect(first?.record.prefix).toBeUndefined();
});

test("a revoked token leaves no trace of its use behind", async () => {
  const { tokens, ledger } = setUp();
  const { token, record } = await tokens.create({ principal: "anna", role: "admin", label: "laptop" });
  await tokens.authenticate(token);
  await tokens.revoke(record.id);
  expect(ledger.list("access-token-use")).toEqual([]);
});

test("a token follows its owner down, never up, and stops with them", async () => {
  const clock = createManualClock();
  let role: Role | undefined = "operator";
  const tokens = createAccessTokens({ ledger: createMemoryLedger({ clock }), clock, ownerRole: () => role });
  const { token } = await tokens.create({ principal: "anna", role: "operator", label: "laptop" });
  role = "admin";
  expect(await tokens.authenticate(token)).toMatchObject({ role: "operator" });
  role = "viewer";
  expect(await tokens.authenticate(token)).toMatchObject({ role: "viewer" });
  role = undefined;
  expect(await tokens.authenticate(token)).toBeUndefined();
});

test("revoking tells whose token it was", async () => {
  const { tokens } = setUp();
  const { record } = await tokens.create({ principal: "anna", role: "admin", label: "laptop" });
  const told: unknown[] = [];
  tokens.onChange?.((principal) => told.push(principal));
  await tokens.revoke(record.id);
  expect(told).toEqual(["anna"]);
});

test.each(["", "f", "..", "0".repeat(64)])("the id %j finds nothing", (id) => {
  expect(setUp().tokens.find(id)).toBeUndefined();
});
