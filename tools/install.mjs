import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs what the lockfile asks for, unless it is there already.
 * @param {{ root: string, children: import("./children.mjs").Children, say: (line: string) => void }} deps
 * @returns {Promise<number>} 0, or npm's exit code
 */
export async function install({ root, children, say }) {
  if (isInstalled(root)) return 0;
  say("Installing the dependencies (npm ci): a minute, or three where SQLite has to be compiled.");
  const started = Date.now();
  const npm = process.env["npm_execpath"];
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  const options = { cwd: root, output: /** @type {const} */ ("stderr") };
  // npm tells its scripts where it is; that also spares a shell, which npm.cmd would need on Windows.
  const { code } = npm?.endsWith("js")
    ? await children.run(process.execPath, [npm, ...args], options)
    : await children.run("npm", args, options);
  if (code !== 0) {
    say(`npm ci failed with exit code ${code}; the reason is above.`);
    return code;
  }
  writeFileSync(stampFile(root), lockHash(root));
  say(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
  return 0;
}

/**
 * A stamp inside node_modules names the lockfile that was installed. Where it is missing or names another one, npm's own
 * record decides: whoever ran `npm install` by hand has nothing to wait for.
 * @param {string} root
 */
function isInstalled(root) {
  if (!existsSync(join(root, "node_modules"))) return false;
  const hash = lockHash(root);
  if (existsSync(stampFile(root)) && readFileSync(stampFile(root), "utf8") === hash) return true;
  if (!installedMatchesLock(root)) return false;
  writeFileSync(stampFile(root), hash);
  return true;
}

/** @param {string} root */
function stampFile(root) {
  return join(root, "node_modules/.steading-lock-hash");
}

/** @param {string} root */
function lockHash(root) {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

/** @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, devOptional?: boolean }} Locked */

/** @param {string} root */
function installedMatchesLock(root) {
  const record = join(root, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  const installed = lockedPackages(record);
  return Object.entries(lockedPackages(join(root, "package-lock.json")))
    .filter(([path]) => path.startsWith("node_modules/"))
    .every(([path, wanted]) => {
      const found = installed[path];
      // Builds for other processors are in every lockfile and on no disk.
      if (found === undefined) return wanted.optional === true || wanted.devOptional === true;
      return found.version === wanted.version && found.integrity === wanted.integrity && found.link === wanted.link;
    });
}

/**
 * @param {string} file
 * @returns {Record<string, Locked>}
 */
function lockedPackages(file) {
  const { packages } = /** @type {{ packages: Record<string, Locked> }} */ (JSON.parse(readFileSync(file, "utf8")));
  return packages;
}
