// Draws the import graph and names every import that the design does not allow.
// dependency-cruiser reads and resolves, through swc: it cannot use TypeScript 7, and without swc it falls back to a
// parser that passes over part of the imports without a word. `requireSwc` and `unread` are the alarms for that.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cruise, getAvailableTranspilers } from "dependency-cruiser";
import { ARROW_RULES, isForTheWorkspace, packageOf } from "./arrow-rules.mjs";
import { sourceFiles } from "./source-files.mjs";

const FOLDERS = ["packages", "test", "bench", "tools"];
const ENDINGS = [".ts", ".tsx", ".js", ".mjs"];

/** @typedef {{ rule: string, from: string, to: string, message: string }} Objection */

/**
 * @param {{ root: string }} where a repository, or a folder laid out like one
 * @returns {Promise<{ files: number, imports: number, objections: Objection[] }>}
 */
export async function checkArrows({ root: given }) {
  requireSwc(getAvailableTranspilers());
  const root = realpathSync(given);
  const files = sourceFiles({ root, folders: FOLDERS, endings: ENDINGS });
  const imports = await readImports(root, files);
  const tree = surroundings(root);
  const objections = imports.flatMap((found) =>
    ARROW_RULES.flatMap(({ name, objection }) => {
      const message = objection(found, tree);
      return message === undefined ? [] : [{ rule: name, from: found.from, to: found.specifier, message }];
    }),
  );
  return {
    files: files.length,
    imports: imports.length,
    objections: [...unread(root, files, imports), ...onePerTangle(objections, imports)],
  };
}

/** @param {readonly import("dependency-cruiser").IAvailableTranspiler[]} parsers */
export function requireSwc(parsers) {
  if (parsers.some(({ name, available }) => name === "swc" && available)) return;
  throw new Error(
    "dependency-cruiser does not find @swc/core and would miss imports; install what package.json lists.",
  );
}

/**
 * Every import in a tangle of files closes some ring. One ring is told for each tangle, the shortest: untying it either
 * unties the rest or brings the next one up.
 * @param {Objection[]} objections
 * @param {import("./arrow-rules.mjs").Import[]} imports
 */
function onePerTangle(objections, imports) {
  const rings = imports.filter(({ cycle }) => cycle.length > 0).toSorted((a, b) => a.cycle.length - b.cycle.length);
  /** @type {Set<string>} */
  const told = new Set();
  const voices = rings.filter(({ cycle }) => {
    const fresh = !cycle.some((file) => told.has(file));
    for (const file of cycle) told.add(file);
    return fresh;
  });
  return objections.filter(
    ({ rule, from, to }) => rule !== "cycle" || voices.some((voice) => voice.from === from && voice.specifier === to),
  );
}

/**
 * @param {string} root
 * @param {string[]} files
 * @returns {Promise<import("./arrow-rules.mjs").Import[]>}
 */
async function readImports(root, files) {
  if (files.length === 0) return [];
  const { output } = await cruise(files, {
    baseDir: root,
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^packages/[^/]+/dist/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@steading/source", "types", "import", "node", "default"],
    },
  });
  if (typeof output === "string") throw new Error("dependency-cruiser answered with a report instead of a graph");
  const ours = new Set(files);
  return output.modules
    .filter((module) => ours.has(module.source))
    .flatMap((module) =>
      module.dependencies.map((dependency) => ({
        from: module.source,
        specifier: dependency.module,
        to: dependency.resolved,
        core: dependency.dependencyTypes.includes("core"),
        unresolved: dependency.couldNotResolve,
        cycle: (dependency.cycle ?? []).map((step) => step.name),
      })),
    );
}

/**
 * Files that visibly import something although the graph knows of no import from them.
 * @param {string} root
 * @param {string[]} files
 * @param {import("./arrow-rules.mjs").Import[]} imports
 * @returns {Objection[]}
 */
export function unread(root, files, imports) {
  const heard = new Set(imports.map(({ from }) => from));
  const visible = /^(?:import\s*|(?:import|export)\s[^;=]*?\bfrom\s*)["']/m;
  return files
    .filter((file) => !heard.has(file) && visible.test(readFileSync(join(root, file), "utf8")))
    .map((file) => ({
      rule: "readable",
      from: file,
      to: "",
      message: "this file has imports that the checker did not see; is @swc/core installed?",
    }));
}

/**
 * @param {string} root
 * @returns {import("./arrow-rules.mjs").Surroundings}
 */
function surroundings(root) {
  const everybody = libraries(manifest(root, "package.json"));
  const packages = sourceFiles({ root, folders: ["packages"], endings: ["/package.json"] });
  // Tests and benchmarks that stand above all packages may use what any of them brings.
  const anybody = [...everybody, ...packages.flatMap((path) => libraries(manifest(root, path)))];
  return {
    frontDoors(packageName) {
      const { exports } = manifest(root, `packages/${packageName}/package.json`);
      return Object.keys(exports ?? {}).map((door) => `@steading/${packageName}${door.slice(1)}`);
    },
    declared(file) {
      const own = packageOf(file);
      if (own === undefined) return file.startsWith("tools/") ? everybody : anybody;
      const listed = manifest(root, `packages/${own}/package.json`);
      if (isForTheWorkspace(file)) return [...libraries(listed), ...everybody];
      return Object.keys({ ...listed.dependencies, ...listed.peerDependencies, ...listed.optionalDependencies });
    },
    isTypeOnly(file, specifier) {
      const from = String.raw`\bfrom\s*["']${specifier.replaceAll(/[.\\/^$*+?()[\]{}|]/g, String.raw`\$&`)}["']`;
      const text = readFileSync(join(root, file), "utf8");
      const all = text.match(new RegExp(from, "g")) ?? [];
      const typed = text.match(new RegExp(String.raw`^(?:import|export) type\b[^;"']*?${from}`, "gm")) ?? [];
      return all.length > 0 && all.length === typed.length;
    },
  };
}

/**
 * @typedef {object} Manifest
 * @property {Record<string, unknown>} [exports]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 */

/**
 * @param {string} root
 * @param {string} path
 * @returns {Manifest}
 */
function manifest(root, path) {
  const file = join(root, path);
  return existsSync(file) ? /** @type {Manifest} */ (JSON.parse(readFileSync(file, "utf8"))) : {};
}

/** @param {Manifest} listed */
function libraries(listed) {
  return Object.keys({ ...listed.dependencies, ...listed.devDependencies });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { files, imports, objections } = await checkArrows({ root: join(import.meta.dirname, "..") });
  for (const { rule, from, to, message } of objections) console.log(`${from} → ${to}\n  ${rule}: ${message}`);
  console.log(`${files} files, ${imports} imports, ${objections.length} not allowed`);
  if (objections.length > 0) process.exitCode = 1;
}
