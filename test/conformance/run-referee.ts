// Runs the MCP conformance referee against the shell: both requirement sets and the stable suite, with the hot path on and
// off. The referee needs Node 22, which is fetched beside it; both versions are pinned. Exit code 0: everything passed.
//
//   node --import tsx test/conformance/run-referee.ts [--url http://localhost:3000/mcp] [--keep <folder>]

import { execFile, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, existsSync, rmSync } from "node:fs";
import { join, dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const { values } = parseArgs({ options: { url: { type: "string" }, keep: { type: "string" } } });
const folder = values.keep ?? join(root, "node_modules/.cache/mcp-referee");

const NODE = "node@22";
const REFEREES = [
  { name: "2026-07-28", version: "0.2.0-alpha.12", args: ["--requirements", "2026-07-28"] },
  { name: "2025-11-25", version: "0.2.0-alpha.12", args: ["--requirements", "2025-11-25"] },
  { name: "every scenario", version: "0.2.0-alpha.12", args: ["--suite", "all"] },
  { name: "stable suite", version: "0.1.16", args: ["--suite", "all"] },
];

/** Each version in a folder of its own, installed once. */
async function install(version: string): Promise<string> {
  const at = join(folder, version);
  if (!existsSync(join(at, "node_modules/.bin/conformance"))) {
    mkdirSync(at, { recursive: true });
    const packages = [`@modelcontextprotocol/conformance@${version}`, NODE];
    await run(
      "npm",
      ["install", "--prefix", at, "--no-save", "--no-audit", "--no-fund", "--no-package-lock", ...packages],
      { cwd: at },
    );
  }
  return at;
}

async function startFixtures(path: "hot" | "cold"): Promise<{ url: string; stop(): void }> {
  const args = ["--conditions=@steading/source", "--import", "tsx", join(here, "serve-fixtures.ts"), "0", path];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`The fixtures ended with ${code}`)));
  });
  // The referee changes the host name to see whether we notice, and knows only this one.
  return { url: `${url.replace("127.0.0.1", "localhost")}/mcp`, stop: () => void child.kill() };
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

function count(results: string): { passed: number; failed: string[]; warned: string[] } {
  const seen = { passed: 0, failed: [] as string[], warned: [] as string[] };
  for (const entry of readdirSync(results, { recursive: true })) {
    const file = join(results, String(entry));
    if (!file.endsWith("checks.json") || !statSync(file).isFile()) continue;
    for (const check of JSON.parse(readFileSync(file, "utf8")) as Check[]) {
      if (check.status === "SUCCESS") seen.passed++;
      if (check.status === "FAILURE") seen.failed.push(`${check.id}: ${check.errorMessage ?? ""}`);
      if (check.status === "WARNING") seen.warned.push(check.id);
    }
  }
  return seen;
}

async function judge(url: string, label: string): Promise<boolean> {
  let clean = true;
  for (const { name, version, args } of REFEREES) {
    const at = await install(version);
    const results = join(folder, "results", label, name.replaceAll(" ", "-"));
    rmSync(results, { recursive: true, force: true });
    const command = [join(at, "node_modules/.bin/conformance"), "server", "--url", url, ...args, "-o", results];
    const code = await run(join(at, "node_modules/.bin/node"), command, { maxBuffer: 2 ** 26 }).then(
      () => 0,
      (error: { readonly code?: number }) => error.code ?? 1,
    );
    const { passed, failed, warned } = count(results);
    console.log(
      `${label.padEnd(9)} ${name.padEnd(15)} ${passed} passed, ${failed.length} failed, ${warned.length} warned, exit ${code}`,
    );
    for (const line of failed) console.log(`          ${line}`);
    clean &&= code === 0 && failed.length === 0;
  }
  return clean;
}

let clean = true;
if (values.url !== undefined) clean = await judge(values.url, "given");
else {
  for (const path of ["hot", "cold"] as const) {
    const { url, stop } = await startFixtures(path);
    clean = (await judge(url, path)) && clean;
    stop();
  }
}
process.exitCode = clean ? 0 : 1;
