import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeReadyFile, writeReadyFile, type Ready } from "./ready-file.ts";

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "steading-ready-"))));
afterEach(() => rmSync(dir, { recursive: true }));

const READY: Ready = {
  url: "http://127.0.0.1:3000",
  mcp: "http://127.0.0.1:3000/mcp",
  farm: null,
  devices: null,
  mqtt: null,
  pid: 7,
};

// @proves steading.ready-file.one-json-object
test("the file holds one JSON object, for its owner alone, and nothing is left beside it", () => {
  const file = join(dir, "below", "ready.json");
  writeReadyFile(file, READY);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(READY);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(dir, "below"))).toEqual(["ready.json"]);
});

test("an older file is replaced in one step, whatever its mode was", () => {
  const file = join(dir, "ready.json");
  writeReadyFile(file, READY);
  writeReadyFile(file, { ...READY, pid: 8 });
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ pid: 8 });
  removeReadyFile(file);
  removeReadyFile(file);
  expect(readdirSync(dir)).toEqual([]);
});

test("a place that cannot be written to is told by name and leaves nothing", () => {
  writeReadyFile(join(dir, "ready.json"), READY);
  const below = join(dir, "ready.json", "impossible.json");
  expect(() => writeReadyFile(below, READY)).toThrow(
    expect.objectContaining({ code: "READY_FILE_FAILED", message: expect.stringContaining(below) }),
  );
  expect(readdirSync(dir)).toEqual(["ready.json"]);
});
