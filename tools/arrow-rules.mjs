// Which package may import which, and which folder owns which library. The design's picture, as data.

const PART = ["kernel", "subjects"];

/** @type {Record<string, readonly string[]>} */
export const ARROWS = {
  kernel: [],
  subjects: ["kernel"],
  store: ["kernel"],
  server: ["kernel"],
  lamp: PART,
  ebus: PART,
  farm: PART,
  devices: PART,
  orchestrator: PART,
  sim: [],
  "device-sdk": [],
  console: [],
  steading: ["kernel", "subjects", "store", "server", "lamp", "ebus", "farm", "devices", "orchestrator", "sim"],
};

/** Packages that may name another one's types, which vanish when it is built, but none of its code. */
const TYPES_ONLY = ["console"];

/** Words everybody speaks; every other library has one home. */
const EVERYWHERE = ["zod", "@opentelemetry/api"];

/** @type {Record<string, string>} */
const LIBRARY_HOMES = {
  canonicalize: "packages/kernel/src/",
  uuidv7: "packages/kernel/src/",
  "better-sqlite3": "packages/store/src/sqlite/",
  esbuild: "packages/store/src/threads/",
  "@modelcontextprotocol/server": "packages/server/src/",
  "@modelcontextprotocol/server-legacy": "packages/server/src/",
  "@modelcontextprotocol/node": "packages/server/src/",
  "@node-rs/argon2": "packages/server/src/accounts/passwords/",
  bcryptjs: "packages/server/src/accounts/passwords/",
  jose: "packages/server/src/accounts/jwt/",
  fastify: "packages/server/src/routes/",
  ws: "packages/server/src/routes/",
  "@modelcontextprotocol/client": "packages/steading/src/",
  "@commander-js/extra-typings": "packages/steading/src/",
  commander: "packages/steading/src/",
  pino: "packages/steading/src/hub/",
  yaml: "packages/steading/src/settings/",
  "@opentelemetry/sdk-trace-node": "packages/steading/src/telemetry/",
  "@opentelemetry/exporter-trace-otlp-http": "packages/steading/src/telemetry/",
  "modbus-serial": "packages/farm/src/modbus/",
  serialport: "packages/ebus/src/adapters/",
};

/** Code that only ever runs from source, in the workspace, and may therefore use a package's devDependencies. */
const WORKSPACE_ONLY = ["packages/store/src/threads/bundle-thread.ts"];

/**
 * @typedef {object} Import One import statement, resolved.
 * @property {string} from the importing file, relative to the repository
 * @property {string} specifier as written
 * @property {string} to the imported file, relative to the repository
 * @property {boolean} core a Node module
 * @property {boolean} unresolved nothing was found at the other end
 * @property {string[]} cycle the way back to `from`, when there is one
 */

/**
 * @typedef {object} Surroundings What a rule may ask about the tree.
 * @property {(packageName: string) => readonly string[]} frontDoors specifiers that a package's exports offer
 * @property {(file: string) => readonly string[]} declared libraries that the file's manifests list
 * @property {(file: string, specifier: string) => boolean} isTypeOnly whether every import of it there is `import type`
 */

/** @typedef {{ name: string, objection: (found: Import, tree: Surroundings) => string | undefined }} ArrowRule */

/** @type {readonly ArrowRule[]} */
export const ARROW_RULES = [
  { name: "known-package", objection: unknownPackage },
  { name: "resolvable", objection: unresolvable },
  { name: "front-door", objection: pastFrontDoor },
  { name: "arrow", objection: wrongWay },
  { name: "cycle", objection: cycle },
  { name: "declared", objection: undeclared },
  { name: "kernel-does-no-io", objection: kernelIo },
  { name: "library-home", objection: libraryAwayFromHome },
];

/** @type {ArrowRule["objection"]} */
function unknownPackage({ from }) {
  const own = packageOf(from);
  if (own === undefined || own in ARROWS) return undefined;
  return `packages/${own} has no line in tools/arrow-rules.mjs; say there what it may import, after the design's picture.`;
}

/** @type {ArrowRule["objection"]} */
function unresolvable({ specifier, unresolved }) {
  if (!unresolved || ourPackage(specifier) !== undefined) return undefined;
  return `${specifier} leads nowhere; correct the path, or add the package to the manifest and install it.`;
}

/** @type {ArrowRule["objection"]} */
function pastFrontDoor({ from, specifier, to }, { frontDoors }) {
  const named = ourPackage(specifier);
  if (named !== undefined) {
    const doors = frontDoors(named);
    if (doors.includes(specifier)) return undefined;
    return `${specifier} reaches past a front door; import ${doors.join(" or ") || "nothing"}, and export there what is missing.`;
  }
  const target = packageOf(to);
  if (!isRelative(specifier) || target === undefined || target === packageOf(from)) return undefined;
  return `a path into packages/${target} reaches past its front door; import @steading/${target}, and export there what is missing.`;
}

/** @type {ArrowRule["objection"]} */
function wrongWay({ from, specifier, to }, { isTypeOnly }) {
  const target = ourPackage(specifier) ?? packageOf(to);
  const own = packageOf(from);
  if (target === undefined || own === target) return undefined;
  if (own === undefined) {
    if (!from.startsWith("tools/")) return undefined;
    return `tools/ must work before anything of ours does; it imports no package.`;
  }
  if (own === "sim") {
    return `sim is written from the wire descriptions alone and imports nothing of ours; write the bytes a second time.`;
  }
  if (ARROWS[own]?.includes(target)) return undefined;
  if (target === "sim" && isProof(from)) return undefined;
  if (TYPES_ONLY.includes(own)) {
    if (isTypeOnly(from, specifier)) return undefined;
    return `${own} may use types only; write \`import type\`, and ask for data over HTTP or WebSocket.`;
  }
  return `${own} may not import ${target}; parts meet in the graph, the journal or the door: take it as a dependency of createX, or move the shared word down into kernel.`;
}

/** @type {ArrowRule["objection"]} */
function cycle({ from, cycle: back }) {
  if (back.length === 0) return undefined;
  return `imports go in a circle: ${[from, ...back].join(" → ")}; move what both need into a file of its own.`;
}

/** @type {ArrowRule["objection"]} */
function undeclared({ from, specifier, core, unresolved }, { declared }) {
  if (core || isRelative(specifier)) return undefined;
  const name = libraryName(specifier);
  if (name === `@steading/${packageOf(from)}`) {
    return `a package does not import itself by name; use a relative path.`;
  }
  if (ourPackage(specifier) !== undefined && (packageOf(from) === undefined || isProof(from))) return undefined;
  if (unresolved && ourPackage(specifier) === undefined) return undefined;
  if (declared(from).includes(name)) return undefined;
  const own = packageOf(from);
  const manifest = own === undefined ? "package.json" : `packages/${own}/package.json`;
  return `${name} is not declared; add it to ${manifest}, or do without it.`;
}

/** @type {ArrowRule["objection"]} */
function kernelIo({ from, specifier, core }) {
  // A test may read the docs it holds the code against; the testing entry is imported by others and may not.
  if (packageOf(from) !== "kernel" || isTestFile(from) || !core || specifier.replace(/^node:/, "") === "crypto")
    return undefined;
  return `kernel does no I/O and uses no Node module but node:crypto; make ${specifier} a port here and implement it in store, server or steading.`;
}

/** @type {ArrowRule["objection"]} */
function libraryAwayFromHome({ from, specifier, core }) {
  if (core || isRelative(specifier) || ourPackage(specifier) !== undefined) return undefined;
  if (packageOf(from) === undefined || isProof(from)) return undefined;
  const name = libraryName(specifier);
  if (EVERYWHERE.includes(name)) return undefined;
  const home = LIBRARY_HOMES[name];
  if (home === undefined) {
    return `${name} has no home; give it one in tools/arrow-rules.mjs and a line in docs/dependencies.md.`;
  }
  if (from.startsWith(home)) return undefined;
  return `${name} is imported in ${home} only; ask that folder for what you need, in our own types.`;
}

/** Code that proves other code: it may stand on the simulated place and on the repository's test libraries. @param {string} file */
export function isProof(file) {
  return isTestFile(file) || /^packages\/[^/]+\/src\/(.+\/)?testing\//.test(file);
}

/** @param {string} file */
function isTestFile(file) {
  return /\.(test|fixture)\.ts$/.test(file);
}

/** Code whose package may declare what it needs as a devDependency. @param {string} file */
export function isForTheWorkspace(file) {
  return isProof(file) || WORKSPACE_ONLY.includes(file);
}

/** @param {string} file */
export function packageOf(file) {
  return /^packages\/([^/]+)\//.exec(file)?.[1];
}

/** @param {string} specifier */
function ourPackage(specifier) {
  return /^@steading\/([^/]+)/.exec(specifier)?.[1];
}

/** @param {string} specifier */
function isRelative(specifier) {
  return specifier.startsWith(".") || specifier.startsWith("/");
}

/** @param {string} specifier */
function libraryName(specifier) {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
