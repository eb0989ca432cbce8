import { join } from "node:path";
import { build } from "./build.mjs";
import { createChildren } from "./children.mjs";
import { install } from "./install.mjs";
import { runBenchmarks } from "./run-benchmarks.mjs";
import { runChecks } from "./run-checks.mjs";
import { runTests } from "./run-tests.mjs";

/** @typedef {{ root: string, children: import("./children.mjs").Children, args: readonly string[] }} Job */

/** @type {Record<string, { says: string, run: (job: Job) => Promise<number> }>} */
const COMMANDS = {
  start: { says: "build, and run the demo", run: start },
  test: { says: "run every test project, fast ones first", run: runTests },
  check: { says: "types, lint, format, arrows, dead code, manifest; or the ones named", run: runChecks },
  bench: { says: "run every benchmark, or the ones named by their whole name or its beginning", run: runBenchmarks },
  conformance: { says: "run the MCP referee against the shell; fetches it and the Node it needs", run: conformance },
  build: { says: "build every package", run: async (job) => (await build({ ...job, output: "show" })).code },
  format: { says: "format the tree, or the files named", run: format },
};

/**
 * @param {readonly string[]} argv
 * @returns {Promise<number>} the exit code
 */
export async function runCommand([name = "", ...args]) {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const lines = Object.entries(COMMANDS).map(([each, { says }]) => `  ${each.padEnd(12)}${says}`);
    console.error(["Usage: node tools/run.mjs <command> [arguments]", ...lines].join("\n"));
    return 2;
  }
  const root = join(import.meta.dirname, "..");
  const children = createChildren({ startedByNpm: process.env["npm_lifecycle_event"] !== undefined });
  try {
    const installed = await install({ root, children, say: console.error });
    return installed === 0 ? await command.run({ root, children, args }) : installed;
  } finally {
    children.close();
  }
}

/** @param {Job} job */
async function start({ root, children, args }) {
  const built = await build({ root, children });
  if (built.code !== 0) {
    console.error("The build failed; nothing was started.");
    return built.code;
  }
  const launcher = join(root, "packages/steading/bin/steading.js");
  return (await children.run(process.execPath, [launcher, "demo", ...args], { cwd: root })).code;
}

/** @param {Job} job */
async function conformance({ root, children, args }) {
  const referee = join(root, "test/conformance/run-referee.ts");
  const options = ["--conditions=@steading/source", "--import", "tsx"];
  return (await children.run(process.execPath, [...options, referee, ...args], { cwd: root })).code;
}

/** @param {Job} job */
async function format({ root, children, args }) {
  const oxfmt = join(root, "node_modules/oxfmt/bin/oxfmt");
  return (await children.run(process.execPath, [oxfmt, ...args], { cwd: root })).code;
}
