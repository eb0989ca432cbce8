#!/usr/bin/env node
// Committed, so that the command exists right after an install: it runs the build when there is one, else the source.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const built = new URL("../dist/run.js", import.meta.url);
const source = new URL("../src/run.ts", import.meta.url);

if (existsSync(built)) {
  await import(built.href);
} else {
  await runSource();
}

async function runSource() {
  const loader = findLoader();
  if (loader === undefined || !existsSync(source)) {
    process.stderr.write("Steading is not built yet. Run `npm run build` in its repository, then try again.\n");
    process.exitCode = 70;
    return;
  }
  const [{ spawn }, { pathToFileURL }] = await Promise.all([import("node:child_process"), import("node:url")]);
  const follow = new URL("follow-launcher.js", import.meta.url);
  const flags = ["--conditions=@steading/source", "--import", follow.href, "--import", pathToFileURL(loader).href];
  // The fourth channel carries nothing; its end tells the child that this process is gone, however that came about.
  const child = spawn(process.execPath, [...flags, fileURLToPath(source), ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  child.channel?.unref();
  /** @param {NodeJS.Signals} signal */
  const passOn = (signal) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, passOn);
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 70);
    for (const each of ["SIGINT", "SIGTERM"]) process.off(each, passOn);
    process.kill(process.pid, signal);
  });
}

function findLoader() {
  try {
    return createRequire(import.meta.url).resolve("tsx");
  } catch {
    return undefined;
  }
}
