import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { SteadingError } from "@steading/kernel";
import type { World } from "../world.ts";

interface Terminal extends Readable {
  readonly isTTY: true;
  setRawMode(on: boolean): unknown;
}

/** More than any password; a pipe that never ends must not fill the memory. */
const LONGEST = 4_096;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const BACKSPACE = new Set(["\u007f", "\b"]);

/** A password, from a prompt that shows nothing (asked twice) or from the first line of standard input. Never from a flag. */
export async function askPassword(world: World): Promise<string> {
  const { stdin } = world;
  if (!isTerminal(stdin)) return firstLine(stdin);
  const first = await hidden(stdin, "Password: ", world);
  if ((await hidden(stdin, "Once more: ", world)) === first) return first;
  throw new SteadingError("USAGE", "The two passwords are not the same; nothing was changed.");
}

/** A question with yes or no. Without a terminal nobody can be asked, and the flag that says yes is named. */
export async function askYes(question: string, world: World): Promise<boolean> {
  if (!isTerminal(world.stdin)) {
    throw new SteadingError("USAGE", "There is no terminal to ask at; add --yes to go on without a question.");
  }
  world.stderr.write(`${question} [y/N] `);
  return /^y(es)?$/i.test((await firstLine(world.stdin)).trim());
}

export function isTerminal(stdin: Readable): stdin is Terminal {
  return "isTTY" in stdin && stdin.isTTY === true && "setRawMode" in stdin;
}

async function firstLine(stdin: Readable): Promise<string> {
  const lines = createInterface({ input: stdin, crlfDelay: Infinity });
  try {
    for await (const line of lines) {
      if (line.length > LONGEST) throw new SteadingError("USAGE", `The line is longer than ${LONGEST} characters.`);
      return line;
    }
    throw new SteadingError("USAGE", "Nothing came from standard input; give the password there, on one line.");
  } finally {
    lines.close();
  }
}

function hidden(stdin: Terminal, prompt: string, { stderr, stop }: World): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const finish = (outcome: () => void): void => {
      stdin.off("data", onData).off("end", onEnd);
      stop.removeEventListener("abort", onEnd);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
      outcome();
    };
    const onEnd = (): void => finish(() => reject(new SteadingError("USAGE", "No password was given.")));
    function onData(piece: Buffer | string): void {
      for (const key of String(piece)) {
        if (key === "\r" || key === "\n") return finish(() => resolve(typed.join("")));
        if (key === CTRL_C || key === CTRL_D) return onEnd();
        if (BACKSPACE.has(key)) typed = typed.slice(0, -1);
        else if (typed.length < LONGEST) typed.push(key);
      }
    }
    stderr.write(prompt);
    stdin.setRawMode(true);
    stop.addEventListener("abort", onEnd, { once: true });
    stdin.on("data", onData).on("end", onEnd).resume();
  });
}
