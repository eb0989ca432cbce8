import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { readJwtSecret } from "./jwt-secret.ts";

test("a long random secret is taken as it is", () => {
  const secret = randomBytes(48).toString("base64");
  expect(Buffer.from(readJwtSecret(secret)).toString()).toBe(secret);
  expect(readJwtSecret(randomBytes(32).toString("hex"))).toHaveLength(64);
});

// @proves mcp.auth.secret-weak
test.each([
  "",
  "secret",
  "x7#Kd9!pQzLm2vR8tB5nW1cY4hJ6fG3", // 31
  "your-256-bit-secret-your-256-bit-secret",
  "a-string-secret-at-least-256-bits-long",
  "your-super-secret-jwt-token-with-at-least-32-characters-long",
  "sensehub-jwt-key-for-the-farm-at-the-hill",
  "Change-Me-In-Production-Please-0123456789",
  "a".repeat(64),
  "abababababababababababababababababababab",
  "                                                    ",
])("the secret %j is refused, and not repeated in the refusal", (secret) => {
  let refusal: unknown;
  try {
    readJwtSecret(secret);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toMatchObject({ code: "SECRET_WEAK" });
  if (secret.trim().length > 6) expect(String(refusal)).not.toContain(secret);
});
