import { spawn } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";

/**
 * @typedef {object} Ended
 * @property {number} code the child's exit code; 128 and the signal's number when a signal ended it, as shells count
 * @property {string} output what it wrote, when that was kept
 */

/** @typedef {{ cwd: string, env?: NodeJS.ProcessEnv, output?: "show" | "keep" | "stderr" }} ChildOptions */

/**
 * @typedef {object} Children
 * @property {(command: string, args: readonly string[], options: ChildOptions) => Promise<Ended>} run
 * @property {() => NodeJS.Signals | undefined} stoppedBy the signal that asked all of this to end
 * @property {() => void} close
 */

const PARENT_CHECK_MS = 250;
const FORWARDED = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * Runs one child after another and hands them the signals that this process gets, so that Ctrl-C and a supervisor's
 * SIGTERM reach the one that does the work.
 * @param {{ startedByNpm?: boolean }} [how] npm hands a signal to the shell it put between itself and us, and that shell
 * dies without a word: its death is then the signal
 * @returns {Children}
 */
export function createChildren({ startedByNpm = false } = {}) {
  /** @type {NodeJS.Signals | undefined} */
  let stopped;
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let running;

  /** @param {NodeJS.Signals} signal */
  function onSignal(signal) {
    stopped = signal;
    // A terminal sends Ctrl-C to the whole foreground group: a second copy would read as "really, at once".
    if (signal === "SIGINT" && isatty(0)) return;
    running?.kill(signal);
  }
  for (const signal of FORWARDED) process.on(signal, onSignal);

  const parent = process.ppid;
  const watch = setInterval(() => {
    if (!startedByNpm || process.ppid === parent) return;
    clearInterval(watch);
    onSignal("SIGTERM");
  }, PARENT_CHECK_MS).unref();

  return {
    run: (command, args, { cwd, env = process.env, output = "show" }) =>
      new Promise((resolve, reject) => {
        const kept = output === "keep" ? /** @type {const} */ ("pipe") : undefined;
        // Nobody types into a check or an install; a child that asks a question must get an end of file, not hang.
        const stdin = output === "show" ? "inherit" : "ignore";
        const stdout = kept ?? (output === "stderr" ? 2 : "inherit");
        const child = spawn(command, args, { cwd, env, stdio: [stdin, stdout, kept ?? "inherit"] });
        running = child;
        let text = "";
        for (const stream of [child.stdout, child.stderr]) {
          stream?.setEncoding("utf8").on("data", (/** @type {string} */ piece) => (text += piece));
        }
        child.on("error", reject);
        child.on("close", (code, signal) => {
          running = undefined;
          resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), output: text });
        });
      }),
    stoppedBy: () => stopped,
    close() {
      clearInterval(watch);
      for (const signal of FORWARDED) process.off(signal, onSignal);
    },
  };
}
