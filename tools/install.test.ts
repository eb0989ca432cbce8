import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Children } from "./children.mjs";
import { install } from "./install.mjs";
import { createPlantedTree, type PlantedTree } from "./planted-tree.ts";

let tree: PlantedTree;
let runs: string[];
const say = (): void => {};
const children: Children = {
  run: (_command, args) => {
    runs.push(args.filter((arg) => !arg.startsWith("--") && !arg.endsWith("js")).join(" "));
    return Promise.resolve({ code: 0, output: "" });
  },
  stoppedBy: () => undefined,
  close: () => {},
};

beforeEach(() => {
  tree = createPlantedTree();
  runs = [];
  tree.plant({ "package-lock.json": lock({ zod: "4.0.0" }) });
});
afterEach(() => tree[Symbol.dispose]());

function lock(versions: Record<string, string>, optional: string[] = []): string {
  const packages = Object.entries(versions).map(([name, version]) => [
    `node_modules/${name}`,
    { version, integrity: `sha-${version}`, ...(optional.includes(name) && { optional: true }) },
  ]);
  return JSON.stringify({ packages: { "": {}, ...(Object.fromEntries(packages) as object) } });
}

test("what npm has not recorded is installed, and the stamp spares the next command the wait", async () => {
  await install({ root: tree.root, children, say });
  expect(runs).toEqual(["ci"]);

  await install({ root: tree.root, children, say });
  expect(runs).toEqual(["ci"]);
});

test("a changed lockfile installs again", async () => {
  await install({ root: tree.root, children, say });
  tree.plant({ "package-lock.json": lock({ zod: "4.0.1" }) });
  await install({ root: tree.root, children, say });

  expect(runs).toEqual(["ci", "ci"]);
});

test("whoever installed by hand waits for nothing, also when a build for another processor is absent", async () => {
  tree.plant({
    "package-lock.json": lock({ zod: "4.0.0", "esbuild-other": "1.0.0" }, ["esbuild-other"]),
    "node_modules/.package-lock.json": lock({ zod: "4.0.0" }),
  });
  await install({ root: tree.root, children, say });

  expect(runs).toEqual([]);
  expect(readFileSync(join(tree.root, "node_modules/.steading-lock-hash"), "utf8")).toMatch(/^[0-9a-f]{64}$/);
});

test("an install by hand of another version does not count", async () => {
  tree.plant({ "node_modules/.package-lock.json": lock({ zod: "3.0.0" }) });
  await install({ root: tree.root, children, say });

  expect(runs).toEqual(["ci"]);
});

test("a failed install leaves no stamp and hands its exit code on", async () => {
  const failing: Children = { ...children, run: () => Promise.resolve({ code: 7, output: "" }) };

  expect(await install({ root: tree.root, children: failing, say })).toBe(7);
  expect(existsSync(join(tree.root, "node_modules/.steading-lock-hash"))).toBe(false);
});
