import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findSecrets } from "../support/find-secrets.ts";
import { runFolder } from "../support/run-record.ts";

/** The project of this file runs after all others, on what they left in the run's folder. */
test("nothing that the whole run logged, measured or answered as an error holds a secret that the run used", (context) => {
  const folder = runFolder();
  if (folder === undefined) return context.skip("only `npm test` keeps what a run leaves behind");
  const { leaks, secrets, characters } = findSecrets(folder);
  expect(leaks).toEqual([]);
  // A search through nothing, or for nothing, finds nothing.
  console.log(`Looked for ${secrets} secrets in ${JSON.stringify(characters)} characters.`);
  expect(secrets).toBeGreaterThan(0);
  for (const [kind, length] of Object.entries(characters)) expect(length, kind).toBeGreaterThan(0);
});

let planted: string;
beforeEach(() => void (planted = mkdtempSync(join(tmpdir(), "steading-planted-"))));
afterEach(() => rmSync(planted, { recursive: true }));

function plant(kind: string, text: string): void {
  mkdirSync(join(planted, kind), { recursive: true });
  writeFileSync(join(planted, kind, "1.txt"), text);
}

const SECRET = 'a "secret" with spaces';
test.each([
  ["plain", SECRET],
  ["json", JSON.stringify({ password: SECRET })],
  ["url", `https://example.org/?password=${encodeURIComponent(SECRET)}`],
  ["base64", `Basic ${Buffer.from(SECRET).toString("base64")}`],
  ["hex", Buffer.from(SECRET).toString("hex")],
])("the search finds a secret that was planted: %s", (spelling, text) => {
  plant("secrets", `${Buffer.from(SECRET).toString("base64")}\n`);
  for (const kind of ["logs", "metrics", "errors"]) {
    plant(kind, `before ${text} after`);
    expect(findSecrets(planted).leaks).toContainEqual(expect.objectContaining({ spelling }));
    plant(kind, "nothing of the kind");
    expect(findSecrets(planted).leaks).toEqual([]);
  }
});

test.each([
  ["an access token", `stead_${"a1B2".repeat(10)}`],
  ["a signed token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.dGhpcy1pcy1hLXNpZ25hdHVyZQ"],
])("the search finds %s that nobody registered, by its shape", (name, text) => {
  plant("logs", `refused ${text} at the door`);
  expect(findSecrets(planted).leaks).toMatchObject([{ spelling: name }]);
});

test("the search finds the bytes of a key, too", () => {
  const key = Uint8Array.from({ length: 32 }, (_, i) => 255 - i);
  plant("secrets", `${Buffer.from(key).toString("base64")}\n`);
  plant("logs", `key=${Buffer.from(key).toString("hex")}`);
  expect(findSecrets(planted).leaks).toMatchObject([{ spelling: "hex", secret: "32 bytes" }]);
});
