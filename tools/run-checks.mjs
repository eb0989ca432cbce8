import { join } from "node:path";
import { build, tsc } from "./build.mjs";

/** @typedef {(job: import("./commands.mjs").Job) => Promise<import("./children.mjs").Ended>} Step */

// An excuse that excuses nothing is an error: it would hide the next real finding on its line.
const LINT = ["--type-aware", "--format=unix", "--report-unused-disable-directives-severity=error"];

/** @type {Record<string, Step>} */
const STEPS = {
  types: (job) => build({ ...job, output: "keep" }),
  "test-types": (job) => node(job, tsc(job.root), "-p", "tsconfig.test.json"),
  lint: (job) => node(job, bin(job, "oxlint/bin/oxlint"), ...LINT),
  format: (job) => node(job, bin(job, "oxfmt/bin/oxfmt"), "--check"),
  arrows: (job) => node(job, join(job.root, "tools/arrows.mjs")),
  "dead-code": (job) => node(job, bin(job, "knip/bin/knip.js"), "--no-progress", "--no-config-hints"),
  manifest: (job) => node(job, join(job.root, "tools/manifest.mjs"), "--totals"),
};

/** Steps whose words are worth reading when they pass, too. */
const TALKATIVE = ["arrows", "manifest"];

/**
 * Runs every check, or the ones named, to the end: one failure does not hide the next.
 * @param {import("./commands.mjs").Job} job
 */
export async function runChecks(job) {
  const unknown = job.args.filter((name) => !Object.hasOwn(STEPS, name));
  if (unknown.length > 0) {
    console.error(`There is no check ${unknown.join(", ")}; there is ${Object.keys(STEPS).join(", ")}.`);
    return 2;
  }
  /** @type {string[]} */
  const failed = [];
  const chosen = Object.entries(STEPS).filter(([name]) => job.args.length === 0 || job.args.includes(name));
  for (const [name, step] of chosen) {
    const started = performance.now();
    const { code, output } = await step(job);
    if (job.children.stoppedBy() !== undefined) return 1;
    const time = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    if (code !== 0) failed.push(name);
    console.log(`${code === 0 ? "ok    " : "FAILED"} ${name.padEnd(12)}${time}`);
    if (code !== 0 || TALKATIVE.includes(name)) console.log(output.trimEnd().replaceAll(/^/gm, "    "));
  }
  console.log(failed.length === 0 ? "\nEvery check passed." : `\nFailed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}

/**
 * @param {import("./commands.mjs").Job} job
 * @param {string} script
 * @param {string[]} args
 */
function node({ root, children }, script, ...args) {
  return children.run(process.execPath, [script, ...args], { cwd: root, output: "keep" });
}

/**
 * @param {import("./commands.mjs").Job} job
 * @param {string} path
 */
function bin({ root }, path) {
  return join(root, "node_modules", path);
}
