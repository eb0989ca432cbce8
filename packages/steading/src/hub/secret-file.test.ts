import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { secretFile } from "./secret-file.ts";

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "steading-secret-"))));
afterEach(() => rmSync(dir, { recursive: true }));

// @proves steading.first-start.secret-generated steading.first-start.secret-mode-0600 mcp.confirm.key-file-mode
test("a missing secret is made for its owner alone and stays the same", () => {
  const data = join(dir, "data");
  const first = secretFile(data, "state.key");
  expect(first).toHaveLength(32);
  expect(statSync(join(data, "state.key")).mode & 0o777).toBe(0o600);
  expect(secretFile(data, "state.key")).toEqual(first);
  expect(readdirSync(data)).toEqual(["state.key"]);
});

// @proves steading.first-start.no-default-password
test("two installations share none", () => {
  expect(secretFile(join(dir, "a"), "state.key")).not.toEqual(secretFile(join(dir, "b"), "state.key"));
});

test("a secret that was cut short is refused by name", () => {
  writeFileSync(join(dir, "state.key"), "short");
  expect(() => secretFile(dir, "state.key")).toThrow(expect.objectContaining({ code: "SECRET_BROKEN" }));
});
