import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Builds what is stale: `tsc -b` looks for itself. Every package is named, and the tests' configuration is not, so that a
 * mistake in a test does not keep the product from starting.
 * @param {{ root: string, children: import("./children.mjs").Children, output?: import("./children.mjs").ChildOptions["output"] }} deps
 */
export function build({ root, children, output = "stderr" }) {
  const packages = readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(join(root, folder, "tsconfig.json")));
  return children.run(process.execPath, [tsc(root), "-b", ...packages], { cwd: root, output });
}

/** @param {string} root */
export function tsc(root) {
  return join(root, "node_modules/typescript/bin/tsc");
}
