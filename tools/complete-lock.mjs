// Completes package-lock.json with the optional platform builds that it leaves out.
//
// `npm install` writes down only those builds that its registry could show it. `npm ci` compares the lock with the
// manifests and refuses one that lacks any, on every platform. Run this after a change of dependencies:
//   node tools/complete-lock.mjs          writes the lock
//   node tools/complete-lock.mjs --check  says what is missing and writes nothing
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const CPUS = ["x64", "arm64", "arm", "ia32", "ppc64", "s390x", "riscv64", "wasm32", "loong64", "mips64el"];
const SYSTEMS = ["android", "darwin", "freebsd", "linux", "win32", "openharmony", "netbsd", "openbsd", "sunos", "aix"];

/** @typedef {{ optionalDependencies?: Record<string, string>, dev?: boolean, devOptional?: boolean }} Entry */

/**
 * Entries for every optional dependency of an exact version that has none, as [path, entry].
 * @param {Record<string, Entry>} packages
 * @returns {[string, object][]}
 */
export function missingBuilds(packages) {
  /** @type {[string, object][]} */
  const missing = [];
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const build = buildOf(name, version, entry);
      if (build && !resolvesTo(packages, path, name)) missing.push([`node_modules/${name}`, build]);
    }
  }
  return missing;
}

/**
 * A platform build carries its platform in its name; anything else is an ordinary optional package.
 * @param {string} name
 * @param {string} version
 * @param {Entry} wantedBy
 */
function buildOf(name, version, { dev, devOptional }) {
  const words = name.replace(/^@[^/]*\//, "").split("-");
  const cpu = words.filter((word) => CPUS.includes(word));
  if (cpu.length === 0 || !/^\d/.test(version)) return undefined;
  const os = words.filter((word) => SYSTEMS.includes(word));
  const libc = words.some((word) => word.startsWith("musl"))
    ? ["musl"]
    : words.some((word) => word.startsWith("gnu"))
      ? ["glibc"]
      : undefined;
  return {
    version,
    cpu,
    ...(dev && { dev }),
    ...(devOptional && { devOptional }),
    ...(libc && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  };
}

/**
 * Node's look-up: the folder itself, then every folder above it.
 * @param {Record<string, Entry>} packages
 * @param {string} from
 * @param {string} name
 */
function resolvesTo(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    if (packages[folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`]) return true;
    if (folder === "") return false;
  }
}

/**
 * @param {string | URL} file
 * @returns {{ packages: Record<string, Entry> }}
 */
export function readLock(file) {
  /** @type {unknown} */
  const lock = JSON.parse(readFileSync(file, "utf8"));
  if (typeof lock !== "object" || lock === null || !("packages" in lock))
    throw new Error(`${String(file)} is not a lockfile of npm`);
  return /** @type {{ packages: Record<string, Entry> }} */ (lock); // npm wrote it
}

function main() {
  const file = "package-lock.json";
  const lock = readLock(file);
  const missing = missingBuilds(lock.packages);
  if (process.argv.includes("--check")) {
    for (const [path] of missing) console.log(`missing from ${file}: ${path}`);
    process.exitCode = missing.length > 0 ? 1 : 0;
    return;
  }
  const packages = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) });
  lock.packages = Object.fromEntries(packages.toSorted(([a], [b]) => a.localeCompare(b, "en")));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${missing.length} builds added to ${file}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
