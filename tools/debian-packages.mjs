import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * @typedef {object} DebianPackage
 * @property {string} name what apt-get calls it
 * @property {string} command the program it brings, which the tests start
 * @property {string} project the test project that needs it
 */

/** Programs that tests use as somebody else's end of something of ours. @type {readonly DebianPackage[]} */
export const DEBIAN_PACKAGES = [
  { name: "zsh", command: "zsh", project: "shells" },
  { name: "fish", command: "fish", project: "shells" },
];

/**
 * @typedef {object} Machine
 * @property {(command: string) => boolean} has
 * @property {boolean} mayInstall
 * @property {(names: readonly string[]) => Promise<number>} install answers with an exit code
 */

/**
 * @typedef {object} Provision
 * @property {readonly DebianPackage[]} packages
 * @property {readonly string[]} projects
 * @property {Machine} machine
 * @property {(line: string) => void} say
 */

/**
 * Installs what is missing where that is allowed.
 * @param {Provision} deps
 * @returns {Promise<Map<string, string>>} each project that cannot run, with the reason
 */
export async function provideDebianPackages({ packages, projects, machine, say }) {
  const missing = packages.filter(({ command, project }) => projects.includes(project) && !machine.has(command));
  if (missing.length === 0) return new Map();
  const names = missing.map(({ name }) => name);
  let why = `run as root on Debian to have it installed, or install it yourself`;
  if (machine.mayInstall) {
    say(`Installing ${names.join(", ")} with apt-get, for tests that need them: a minute or so.`);
    const code = await machine.install(names);
    why = code === 0 ? "although apt-get reported success" : `apt-get ended with ${code}`;
  }
  return new Map(
    missing
      .filter(({ command }) => !machine.has(command))
      .map(({ name, command, project }) => [project, `${command} (Debian package ${name}) is missing: ${why}`]),
  );
}

/**
 * @param {{ root: string, children: import("./children.mjs").Children }} deps
 * @returns {Machine}
 */
export function thisMachine({ root, children }) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return {
    has: isOnPath,
    mayInstall: process.getuid?.() === 0 && isOnPath("apt-get"),
    async install(names) {
      const options = { cwd: root, env, output: /** @type {const} */ ("stderr") };
      // A list of packages that is out of date is no reason to give up; an install that fails is.
      await children.run("apt-get", ["update", "-qq"], options);
      return (await children.run("apt-get", ["install", "-qq", "--no-install-recommends", ...names], options)).code;
    },
  };
}

/** @param {string} command */
function isOnPath(command) {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
