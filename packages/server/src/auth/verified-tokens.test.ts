import { createHash } from "node:crypto";
import { createManualClock, seconds } from "@steading/kernel";
import { expect, test, vi } from "vitest";
import type { Authenticated } from "./authenticator.ts";
import { createVerifiedTokens } from "./verified-tokens.ts";

function setUp(capacity = 10) {
  const clock = createManualClock();
  const asked: string[] = [];
  const known = new Map<string, Authenticated>();
  let change = (): void => {};
  const verified = createVerifiedTokens({
    authenticator: {
      async authenticate(token) {
        asked.push(token);
        return known.get(token);
      },
      onChange(listener) {
        change = listener;
        return () => {};
      },
    },
    clock,
    capacity,
    age: seconds(60),
  });
  return { clock, asked, known, verified, change: () => change() };
}

// @proves mcp.auth.cache-time
test("a token is verified once a minute", async () => {
  const { verified, known, asked, clock } = setUp();
  known.set("t", { principal: "anna", role: "viewer" });
  expect(await verified.authenticate("t")).toMatchObject({ principal: "anna" });
  expect(verified.authenticate("t")).toMatchObject({ principal: "anna" });
  await clock.advance(seconds(60));
  await verified.authenticate("t");
  expect(asked).toEqual(["t", "t"]);
});

// @proves mcp.auth.cache-not-past-expiry
test("a remembered token is not trusted past its own expiry", async () => {
  const { verified, known, clock } = setUp();
  known.set("t", { principal: "anna", role: "viewer", expiresAt: clock.now() + 5_000 });
  await verified.authenticate("t");
  await clock.advance(seconds(5));
  expect(await verified.authenticate("t")).toBeUndefined();
});

// @proves mcp.auth.cache-dropped-on-key-change mcp.auth.account-change-drops-cache
test("any change of credentials forgets every token", async () => {
  const { verified, known, change } = setUp();
  known.set("t", { principal: "anna", role: "viewer" });
  await verified.authenticate("t");
  known.delete("t");
  change();
  expect(await verified.authenticate("t")).toBeUndefined();
});

test("a change while a token is being verified keeps its answer from being remembered", async () => {
  const { verified, known, change } = setUp();
  known.set("t", { principal: "anna", role: "viewer" });
  const running = verified.authenticate("t");
  change();
  await running;
  expect(verified.size).toBe(0);
});

// @proves mcp.auth.cache-size
test("no more tokens are remembered than there is room for, and failures never are", async () => {
  const { verified, known } = setUp(2);
  for (const token of ["a", "b", "c"]) {
    known.set(token, { principal: token, role: "viewer" });
    await verified.authenticate(token);
    await verified.authenticate(`wrong ${token}`);
  }
  expect(verified.size).toBe(2);
});

// @proves mcp.auth.cache-key-hashed
test("tokens are remembered by their SHA-256 and never as they are", async () => {
  const { verified, known } = setUp();
  const token = "stead_a-token-that-must-not-be-kept-anywhere";
  known.set(token, { principal: "anna", role: "viewer" });
  const set = vi.spyOn(Map.prototype, "set");
  try {
    await verified.authenticate(token);
    const kept = set.mock.calls.filter(([, value]) => JSON.stringify(value)?.includes("anna") === true);
    expect(kept.map(([key]) => String(key))).toEqual([createHash("sha256").update(token).digest("base64")]);
    expect(JSON.stringify(kept)).not.toContain(token);
  } finally {
    set.mockRestore();
  }
});
