import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.mjs";
import { DEBIAN_PACKAGES, provideDebianPackages, thisMachine } from "./debian-packages.mjs";
import { TEST_PROJECTS } from "./test-projects.mjs";
import { addTallies, emptyTally, isGreen, readReport, summaryLine } from "./test-summary.mjs";

/** @typedef {import("./test-summary.mjs").Tally} Tally */

/**
 * Runs the test projects one after the other and ends with one line that counts them all. What failed without being a
 * test (the build, a file that does not load) counts as one failure, so that the line never claims more than the exit code.
 * @param {import("./commands.mjs").Job} job
 */
export async function runTests({ root, children, args }) {
  const { projects, rest } = chosenProjects(args);
  /** @type {Tally[]} */
  const tallies = [];
  if ((await build({ root, children })).code !== 0) {
    tallies.push({ ...emptyTally(), failed: [{ name: "build", reason: "tsc -b failed; its errors are above" }] });
  }
  const machine = thisMachine({ root, children });
  const unable = await provideDebianPackages({ packages: DEBIAN_PACKAGES, projects, machine, say: console.error });
  const runFolder = mkdtempSync(join(tmpdir(), "steading-run-"));
  try {
    for (const project of projects) {
      if (children.stoppedBy() !== undefined) break;
      const reason = unable.get(project);
      const deps = { root, children, project, rest, runFolder };
      tallies.push(reason === undefined ? await runProject(deps) : await skipProject({ ...deps, reason }));
    }
  } finally {
    rmSync(runFolder, { recursive: true, force: true });
  }
  const tally = addTallies(tallies);
  tell("Failed", tally.failed);
  tell("Skipped", tally.skipped);
  if (tally.passed + tally.failed.length === 0) console.log("\nNo test ran, which counts as a failure.");
  console.log(`\n${summaryLine(tally)}`);
  return isGreen(tally) && children.stoppedBy() === undefined ? 0 : 1;
}

/**
 * `--project` chooses among our projects; everything else is vitest's.
 * @param {readonly string[]} args
 */
function chosenProjects(args) {
  /** @type {string[]} */
  const chosen = [];
  /** @type {string[]} */
  const rest = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--project") chosen.push(args[(at += 1)] ?? "");
    else if (arg.startsWith("--project=")) chosen.push(arg.slice("--project=".length));
    else rest.push(arg);
  }
  const all = TEST_PROJECTS.map(({ name }) => name);
  return { projects: chosen.length === 0 ? all : all.filter((name) => chosen.includes(name)), rest };
}

/**
 * @param {Omit<import("./commands.mjs").Job, "args"> & { project: string, rest: readonly string[], runFolder: string }} deps
 * @returns {Promise<Tally>}
 */
async function runProject({ root, children, project, rest, runFolder }) {
  const folder = mkdtempSync(join(tmpdir(), "steading-tests-"));
  const report = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=./tools/skip-reasons.mjs", "--reporter=json"];
    const args = [
      "run",
      "--project",
      project,
      "--passWithNoTests",
      ...reporters,
      `--outputFile.json=${report}`,
      ...rest,
    ];
    // Tests keep there what hubs wrote and which secrets were used; the last project holds the one against the other.
    const env = { ...process.env, STEADING_RUN_FOLDER: runFolder };
    const { code } = await children.run(process.execPath, [vitest(root), ...args], { cwd: root, env });
    const text = existsSync(report) ? readFileSync(report, "utf8") : undefined;
    const byName = rest.some((arg) => /^(-t|--testNamePattern)/.test(arg));
    return readReport({ project, text, code, byName });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Names every test of a project that cannot run, so that the count of skipped tests is a count of tests.
 * @param {Parameters<typeof runProject>[0] & { reason: string }} deps
 * @returns {Promise<Tally>}
 */
async function skipProject({ root, children, project, rest, reason }) {
  const args = [vitest(root), "list", "--json", "--project", project, ...rest];
  const { code, output } = await children.run(process.execPath, args, { cwd: root, output: "keep" });
  if (code !== 0) return { ...emptyTally(), skipped: [{ name: project, reason }] };
  const tests = /** @type {{ name: string }[]} */ (JSON.parse(output));
  return { ...emptyTally(), skipped: tests.map(({ name }) => ({ name, reason })) };
}

/**
 * @param {string} title
 * @param {readonly import("./test-summary.mjs").Remark[]} remarks
 */
function tell(title, remarks) {
  if (remarks.length === 0) return;
  console.log(`\n${title}:`);
  for (const { name, reason } of remarks) console.log(`  ${name}: ${reason}`);
}

/** @param {string} root */
function vitest(root) {
  return join(root, "node_modules/vitest/vitest.mjs");
}
