import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const NOT_OURS = new Set(["node_modules", "dist", "coverage"]);

/**
 * Paths relative to `root` of every file below `folders` whose path ends with one of `endings`, in a steady order.
 * @param {{ root: string, folders: readonly string[], endings: readonly string[] }} which
 * @returns {string[]}
 */
export function sourceFiles({ root, folders, endings }) {
  return folders.filter((folder) => existsSync(join(root, folder))).flatMap((folder) => below(root, folder, endings));
}

/**
 * @param {string} root
 * @param {string} folder
 * @param {readonly string[]} endings
 * @returns {string[]}
 */
function below(root, folder, endings) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : below(root, path, endings);
      return endings.some((ending) => path.endsWith(ending)) ? [path] : [];
    });
}
