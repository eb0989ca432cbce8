import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "./test-directory.fixture.ts";

export interface Child {
  readonly process: ChildProcess;
  /** Lines of its output, to the last one that it wrote before it ended. */
  readonly lines: AsyncIterable<string>;
  /** SIGKILL from outside: it gets no chance to tidy up. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it is gone, however that came about. */
  readonly ended: Promise<void>;
}

/** A program of this package as plain scripts, so that a process of its own starts in a moment and not in seconds. */
export interface Program {
  readonly file: string;
}

const THREADS = [
  "ledger/writer-thread",
  "history/history-thread",
  "scan/scan-thread",
  "backup/backup-thread",
  "integrity/check-thread",
];
const DRIVER = "better-sqlite3";

/** Threads lie beside the program, which is where the built package looks for them. Gone when the test is over. */
export function bundleProgram(url: URL): Program {
  const require = createRequire(import.meta.url);
  // The one function of esbuild that is used here; the package is a tool of the workspace.
  const { buildSync } = require("esbuild") as { buildSync(options: object): void };
  const dir = temporaryDirectory();
  const source = dirname(fileURLToPath(import.meta.url));
  buildSync({
    entryPoints: [fileURLToPath(url), ...THREADS.map((thread) => join(source, `${thread}.ts`))],
    entryNames: "[name]",
    outdir: dir,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["@steading/source"],
    external: [DRIVER],
    banner: { js: 'import { createRequire as __from } from "node:module"; const require = __from(import.meta.url);' },
    logLevel: "error",
  });
  // Found from there as it is found from here.
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(dirname(require.resolve(`${DRIVER}/package.json`)), join(dir, "node_modules", DRIVER));
  symlinkSync(require.resolve("../package.json"), join(dir, "package.json")); // says that `.js` is a module
  return { file: join(dir, basename(fileURLToPath(url)).replace(/\.ts$/, ".js")) };
}

/** Runs a program in a process of its own; `around` is a command that runs it in turn. */
export function startProgram({ file }: Program, args: readonly string[], around: readonly string[] = []): Child {
  const [command = "", ...rest] = [...around, process.execPath, file, ...args];
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("exit", () => resolve());
    child.once("error", reject); // it never began
  });
  const kill = (): Promise<void> => {
    child.kill("SIGKILL");
    return ended;
  };
  onTestFinished(kill);
  return { process: child, lines: createInterface({ input: child.stdout }), kill, ended };
}

/** Runs a TypeScript file of this package in a process of its own. */
export function startChild(url: URL, args: readonly string[], around: readonly string[] = []): Child {
  return startProgram(bundleProgram(url), args, around);
}
