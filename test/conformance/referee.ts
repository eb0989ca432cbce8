import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { EXCEPTIONS } from "./exceptions.ts";

const run = promisify(execFile);

/** The referee's packages crash at import on anything older. */
const NEEDED = 22;
const NODE_VERSION = "22.23.3";
const ALPHA = "0.2.0-alpha.12";
const STABLE = "0.1.16";
/** A registry that takes longer is as good as none. */
const FETCH_MS = 120_000;
/** One command line; the longest takes a tenth of this. */
const LINE_MS = 180_000;

export interface CommandLine {
  readonly name: string;
  readonly version: string;
  readonly args: readonly string[];
}

export const COMMAND_LINES: readonly CommandLine[] = [
  { name: "2026-07-28", version: ALPHA, args: ["--requirements", "2026-07-28"] },
  { name: "2025-11-25", version: ALPHA, args: ["--requirements", "2025-11-25"] },
  { name: "every scenario", version: ALPHA, args: ["--suite", "all"] },
  { name: "stable suite", version: STABLE, args: ["--suite", "all"] },
];

export interface Verdict {
  readonly passed: number;
  /** What is no success and no listed exception, one line each, and exceptions that are none any more. */
  readonly objections: readonly string[];
}

export interface Referee {
  /** The Node it runs on: 22 or newer. */
  readonly node: string;
  /** Runs one command line against a server whose host name is `localhost`. */
  judge(line: CommandLine, url: string, results: string): Promise<Verdict>;
}

/** Fetches both referees and, on an older Node, the one they need. Throws where the registry does not give them. */
export async function provideReferee(folder: string): Promise<Referee> {
  const fetched = await Promise.allSettled([
    provideNode(folder),
    ...[ALPHA, STABLE].map((version) => provide(join(folder, version), `@modelcontextprotocol/conformance@${version}`)),
  ]);
  // All of them have ended by here, so none writes into the folder after this.
  for (const each of fetched) if (each.status === "rejected") throw each.reason;
  const node = nodeFor(folder);
  return {
    node,
    async judge({ name, version, args }, url, results) {
      rmSync(results, { recursive: true, force: true });
      const program = join(folder, version, "node_modules/.bin/conformance");
      const options = { maxBuffer: 2 ** 26, timeout: LINE_MS };
      const code = await run(node, [program, "server", "--url", url, ...args, "-o", results], options).then(
        () => 0,
        (error: { readonly code?: number | string }) => error.code ?? "killed",
      );
      const verdict = read(name, results);
      const objections = code === 0 ? verdict.objections : [...verdict.objections, `it ended with ${code}`];
      return { passed: verdict.passed, objections };
    },
  };
}

const NODE_PACKAGE = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

function isNewEnough(): boolean {
  return Number(process.versions.node.split(".")[0]) >= NEEDED;
}

async function provideNode(folder: string): Promise<void> {
  if (!isNewEnough()) await provide(join(folder, `node-${NODE_VERSION}`), `${NODE_PACKAGE}@${NODE_VERSION}`);
}

function nodeFor(folder: string): string {
  if (isNewEnough()) return process.execPath;
  return join(folder, `node-${NODE_VERSION}`, "node_modules", NODE_PACKAGE, "bin/node");
}

/** Each in a folder of its own, which appears once it is whole. */
async function provide(at: string, spec: string): Promise<void> {
  if (existsSync(at)) return;
  const beside = `${at}.${process.pid}`;
  mkdirSync(beside, { recursive: true });
  const flags = ["--no-save", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--fetch-retries=1"];
  try {
    await run("npm", ["install", "--prefix", beside, ...flags, spec], { cwd: beside, timeout: FETCH_MS });
    renameSync(beside, at);
  } catch (cause) {
    throw new Error(`${spec} could not be fetched from the npm registry`, { cause });
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

function read(line: string, results: string): Verdict {
  const expected = EXCEPTIONS.filter((each) => each.in.includes(line));
  const met = new Set<object>();
  const objections: string[] = [];
  let passed = 0;
  for (const { scenario, check } of checksIn(results)) {
    if (check.status === "SUCCESS") passed++;
    if (check.status === "SUCCESS" || check.status === "INFO") continue;
    const exception = expected.find((each) => each.status === check.status && fits(each.check, check.id));
    if (exception === undefined)
      objections.push(`${scenario} ${check.status} ${check.id}: ${check.errorMessage ?? ""}`);
    else met.add(exception);
  }
  if (passed === 0) objections.push("no check passed");
  for (const each of expected) if (!met.has(each)) objections.push(`the exception for ${each.check} is not needed`);
  return { passed, objections };
}

function* checksIn(results: string): Generator<{ readonly scenario: string; readonly check: Check }> {
  if (!existsSync(results)) return;
  for (const entry of readdirSync(results, { recursive: true })) {
    const file = join(results, String(entry));
    if (!file.endsWith("checks.json") || !statSync(file).isFile()) continue;
    const scenario = String(entry)
      .replace(/^server-/, "")
      .replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    for (const check of JSON.parse(readFileSync(file, "utf8")) as Check[]) yield { scenario, check };
  }
}

function fits(pattern: string, id: string): boolean {
  return pattern.endsWith("*") ? id.startsWith(pattern.slice(0, -1)) : pattern === id;
}
