import { execFile } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { createPlantedTree } from "./planted-tree.ts";

const repository = join(import.meta.dirname, "..");

const LATER = `export async function later(): Promise<number> {
  await Promise.resolve();
  return 1;
}
`;
const CARELESS = `import { later } from "@steading/kernel";

export function use(list: number[]): void {
  later();
  list.forEach(async () => {
    await later();
  });
}

export async function wait(n: number): Promise<void> {
  await n;
}
`;
const SAY = `export function say(): void {\n  console.log("ready");\n}\n`;

const GOOD = {
  "packages/kernel/src/index.ts": LATER,
  "packages/farm/src/use.ts": `import { later } from "@steading/kernel";\n\nexport async function use(): Promise<number> {\n  return (await later()) + 1;\n}\n`,
  "packages/farm/src/rows.data.ts": `export const ROWS = [\n${'  "row",\n'.repeat(500)}] as const;\n`,
  "packages/steading/src/commands/say.ts": SAY,
};

const CARELESS_FILES = [
  "packages/farm/src/bad.ts",
  "packages/farm/src/bad.test.ts",
  "test/faults/bad.test.ts",
  "bench/bad.ts",
];

const BAD: [rule: string, file: string, text: string][] = [
  ...CARELESS_FILES.flatMap((file): typeof BAD =>
    ["no-floating-promises", "no-misused-promises", "await-thenable"].map((rule) => [rule, file, CARELESS]),
  ),
  [
    "no-floating-promises",
    "tools/bad.mjs",
    `import { readFile } from "node:fs/promises";\n\nvoid 0;\nreadFile("x");\n`,
  ],
  ["no-console", "packages/farm/src/say.ts", SAY],
  ["no-console", "packages/steading/src/hub/say.ts", SAY],
  ["no-restricted-properties", "packages/farm/src/home.ts", `export const home = process.env["HOME"];\n`],
  ["no-restricted-properties", "packages/server/src/out.ts", `export const out = process.stdout;\n`],
  ["no-default-export", "packages/farm/src/only.ts", `export default function only(): void {}\n`],
  ["no-explicit-any", "packages/farm/src/any.ts", `export const any: any[] = [];\n`],
  ["no-unsafe-member-access", "packages/farm/src/json.ts", `export const json = String(JSON.parse("{}").x);\n`],
  ["consistent-type-imports", "packages/farm/src/type.ts", `export type Stats = import("node:fs").Stats;\n`],
  ["only-throw-error", "packages/farm/src/throw.ts", `export function fail(): void {\n  throw "text";\n}\n`],
  ["no-disabled-tests", "packages/farm/src/a.test.ts", `import { test } from "vitest";\n\ntest.skip("x", () => {});\n`],
  ["no-focused-tests", "packages/farm/src/b.test.ts", `import { test } from "vitest";\n\ntest.only("x", () => {});\n`],
  ["max-lines", "packages/farm/src/long.ts", `export const x = [\n${'  "row",\n'.repeat(400)}];\n`],
];

describe("the linter, on a planted tree", () => {
  let found: string[];
  beforeAll(async () => {
    found = await lint({ ...GOOD, ...Object.fromEntries(BAD.map(([, file, text]) => [file, text])) });
  });

  test("has nothing against careful code, output in commands, and long data files", () => {
    expect(found.filter((line) => Object.keys(GOOD).some((file) => line.endsWith(` ${file}`)))).toEqual([]);
  });

  // @proves mcp.pitfalls.no-console-log
  test.each(BAD)("%s objects in %s", (rule, file) => {
    expect(found).toContain(`${rule} ${file}`);
  });
});

async function lint(files: Record<string, string>): Promise<string[]> {
  const tree = createPlantedTree();
  try {
    for (const file of [".oxlintrc.json", "tsconfig.base.json", "tsconfig.test.json"]) {
      tree.plant({ [file]: readFileSync(join(repository, file), "utf8") });
    }
    tree.plant({ "tsconfig.json": `{ "files": [], "references": [{ "path": "./tsconfig.test.json" }] }`, ...files });
    symlinkSync(join(repository, "node_modules/@types"), join(tree.root, "node_modules/@types"));
    const oxlint = join(repository, "node_modules/oxlint/bin/oxlint");
    const run = promisify(execFile)(process.execPath, [oxlint, "--type-aware", "--format=json"], { cwd: tree.root });
    // A linter that finds something ends with 1, and has printed its findings all the same.
    const { stdout } = (await run.catch((failure: unknown) => failure)) as { stdout: string };
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
    return diagnostics.map(({ code, filename }) => `${/\((.*)\)/.exec(code)?.[1] ?? code} ${filename}`);
  } finally {
    tree[Symbol.dispose]();
  }
}
