import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const BIN = fileURLToPath(new URL("../bin/", import.meta.url));
const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true });
});

/** A package with the committed launcher and nothing else, in a place where no loader can be found. */
function barePackage(): string {
  const dir = mkdtempSync(join(tmpdir(), "steading-launcher-"));
  made.push(dir);
  mkdirSync(join(dir, "bin"));
  writeFileSync(join(dir, "package.json"), '{"type":"module"}');
  for (const file of ["steading.js", "follow-launcher.js"]) copyFileSync(join(BIN, file), join(dir, "bin", file));
  return dir;
}

function withFile(dir: string, path: string, text: string): void {
  mkdirSync(join(dir, path, ".."), { recursive: true });
  writeFileSync(join(dir, path), text);
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
function launch(dir: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(dir, "bin", "steading.js"), ...args], (error, out, err) => {
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : null, out, err });
    });
  });
}

// @proves steading.launcher.committed steading.launcher.bin-exists-unbuilt
test("the installed command leads to the committed, executable launcher", () => {
  const installed = fileURLToPath(new URL("../../../node_modules/.bin/steading", import.meta.url));
  expect(lstatSync(installed).isSymbolicLink()).toBe(true);
  expect(realpathSync(installed)).toBe(realpathSync(join(BIN, "steading.js")));
  expect(statSync(installed).mode & 0o111).toBe(0o111);
});

test("with a build the build runs, with the arguments and its own exit code", async () => {
  const dir = barePackage();
  withFile(dir, "dist/run.js", "console.log(process.argv.slice(2).join()); process.exitCode = 7;");
  expect(await launch(dir, "a", "b")).toEqual({ code: 7, out: "a,b\n", err: "" });
});

test("without build and without a loader it says how to build", async () => {
  const dir = barePackage();
  withFile(dir, "src/run.ts", "export {};");
  const ended = await launch(dir, "start");
  expect(ended).toMatchObject({ code: 70, out: "" });
  expect(ended.err).toContain("npm run build");
});

/** The same, beside a loader: the repository's own. */
function sourcePackage(text: string): string {
  const dir = barePackage();
  withFile(dir, "src/run.ts", text);
  symlinkSync(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(dir, "node_modules"));
  return dir;
}

test("without a build the source runs, with the arguments, its condition and its own exit code", async () => {
  const dir = sourcePackage(
    "const args: string = process.argv.slice(2).join(); console.log(args, process.execArgv[0]); process.exitCode = 7;",
  );
  expect(await launch(dir, "a", "b")).toMatchObject({ code: 7, out: "a,b --conditions=@steading/source\n" });
});

test("a signal reaches the source, which may end in its own way", async () => {
  const dir = sourcePackage(
    'process.on("SIGTERM", () => process.exit(9)); console.log("ready"); setInterval(() => {}, 1000);',
  );
  const child = spawn(process.execPath, [join(dir, "bin", "steading.js")], { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([9, null]);
});

test("a launcher that is killed outright takes the source with it", async () => {
  const dir = sourcePackage('console.log("ready"); setInterval(() => {}, 1000);');
  const child = spawn(process.execPath, [join(dir, "bin", "steading.js")], { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  // The output closes only when every process that holds it is gone.
  await once(child.stdout, "close");
});
