import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ARROWS } from "./arrow-rules.mjs";

export interface PlantedTree {
  root: string;
  /** Writes files, given as path to text, into the tree. */
  plant(files: Record<string, string>): void;
  [Symbol.dispose](): void;
}

const LIBRARIES = ["zod", "pino", "vitest", "left-pad"];

/** A workspace laid out like this one, in a folder of its own: every package with a front door and a true manifest. */
export function createPlantedTree(): PlantedTree {
  // A folder name is never used twice: dependency-cruiser remembers what it parsed, by path.
  const root = mkdtempSync(join(tmpdir(), "steading-planted-"));
  const tree: PlantedTree = {
    root,
    plant(files) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
  tree.plant({ "package.json": JSON.stringify({ devDependencies: { vitest: "1.0.0" } }) });
  for (const library of LIBRARIES) tree.plant(libraryFiles(library));
  mkdirSync(join(root, "node_modules/@steading"));
  for (const [name, below] of Object.entries(ARROWS)) {
    tree.plant(packageFiles(name, below));
    symlinkSync(`../../packages/${name}`, join(root, "node_modules/@steading", name));
  }
  return tree;
}

function libraryFiles(name: string): Record<string, string> {
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: "1.0.0", main: "index.js" }),
    [`node_modules/${name}/index.js`]: "",
  };
}

function packageFiles(name: string, below: readonly string[]): Record<string, string> {
  const dependencies = Object.fromEntries(
    [...below.map((other) => `@steading/${other}`), "zod"].map((each) => [each, "1"]),
  );
  const exports = { ".": { "@steading/source": "./src/index.ts", default: "./dist/index.js" } };
  return {
    [`packages/${name}/package.json`]: JSON.stringify({
      name: `@steading/${name}`,
      type: "module",
      exports,
      dependencies,
    }),
    [`packages/${name}/src/index.ts`]: `export const ${name.replaceAll("-", "")} = 1;\n`,
  };
}
