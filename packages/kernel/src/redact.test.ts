import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "./json.ts";
import { redact } from "./redact.ts";

// @proves kernel.journal.redacted-on-append
test("members whose name tells of a secret lose their value, at any depth and in any spelling", () => {
  for (const name of [
    "password",
    "Password",
    "user_password",
    "wifiPassword",
    "passphrase",
    "token",
    "access_token",
    "refreshToken",
    "secret",
    "client-secret",
    "secretValue",
    "authorization",
    "Authorization",
    "api_key",
    "apiKey",
    "X-API-Key",
    "private_key",
    "cookie",
    "Set-Cookie",
    "credentials",
    "jwt",
  ]) {
    const hidden = JSON.stringify(redact({ a: [{ b: { [name]: "hunter2" } }], [name]: { inner: "hunter2" } }));
    expect(hidden, name).not.toContain("hunter2");
  }
});

test("what only sounds alike stays", () => {
  const data = {
    tokens_used: 3,
    key: "zone-1",
    idempotency_key: "k",
    monkey: 1,
    tokenised: "x",
    has_password: true,
    token: null,
  };
  expect(redact(data)).toEqual(data);
});

test("tokens inside texts are taken out", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123";
  const data = redact({
    a: `sent Bearer ${jwt}`,
    b: jwt,
    c: "http://h/x?token=hunter2&y=1",
    d: "Basic aHVudGVyMjpodW50ZXIy",
  });
  expect(JSON.stringify(data)).not.toMatch(/hunter2|eyJ|aHVudGVy/);
  expect(data["c"]).toBe("http://h/x?token=[redacted]&y=1");
});

// @proves kernel.bounds.cut-is-flagged
test("long texts, long lists and great depth are cut, and say so", () => {
  let deep: JsonObject = { end: true };
  for (let i = 0; i < 100; i += 1) deep = { deep };
  const cut = redact({ text: "x".repeat(10_000), list: Array.from({ length: 5_000 }, (_, i) => i), deep });
  expect(String(cut["text"]).length).toBeLessThan(4_200);
  expect(cut["text"]).toMatch(/\[cut: 5904 more\]$/);
  expect(cut["list"]).toHaveLength(1_001);
  expect(JSON.stringify(cut["deep"])).toContain("[cut: too deep]");
});

test("a member called __proto__ is data like any other", () => {
  const data = JSON.parse('{"__proto__":{"password":"hunter2"},"a":1}') as JsonObject;
  expect(JSON.stringify(redact(data))).toBe('{"__proto__":{"password":"[redacted]"},"a":1}');
});

test("the original is never changed, and redacting twice is redacting once", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
      const data = given as JsonObject;
      const before = JSON.stringify(data);
      const once = redact(data);
      expect(JSON.stringify(data)).toBe(before);
      expect(redact(once)).toEqual(once);
    }),
  );
});

test("an access token of ours is taken out of any text", () => {
  const text = `The token stead_${"aB3-".repeat(10)} was refused.`;
  expect(redact({ note: text })).toEqual({ note: "The token [redacted] was refused." });
});
