import { spawn, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";

export interface Child {
  readonly process: ChildProcess;
  /** Lines of its output, to the last one that it wrote before it ended. */
  readonly lines: AsyncIterable<string>;
  /** SIGKILL from outside: it gets no chance to tidy up. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** Runs a TypeScript file of this package in a process of its own; `around` is a command that runs it in turn. */
export function startChild(url: URL, args: readonly string[], around: readonly string[] = []): Child {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const node = [process.execPath, "--import", loader, "--conditions=@steading/source", fileURLToPath(url), ...args];
  const [command = "", ...rest] = [...around, ...node];
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"] });
  const gone = new Promise<void>((resolve, reject) => {
    child.once("exit", () => resolve());
    child.once("error", reject); // it never began
  });
  const kill = (): Promise<void> => {
    child.kill("SIGKILL");
    return gone;
  };
  onTestFinished(kill);
  return { process: child, lines: createInterface({ input: child.stdout }), kill };
}
