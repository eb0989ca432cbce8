import { createInterface } from "node:readline";
import { SteadingError } from "@steading/kernel";
import type { World } from "../world.ts";

/** Questions and answers at a terminal, one line each. */
export interface Dialogue {
  say(text: string): void;
  /** Asks until `read` takes the answer; an empty one means `otherwise`. */
  ask<T>(question: string, otherwise: string, read: (answer: string) => T | undefined): Promise<T>;
  close(): void;
}

/** Somebody who answers nonsense this often is a pipe, not a person. */
const MOST_TRIES = 10;

export function openDialogue({ stdin, stderr, stop }: World): Dialogue {
  const lines = createInterface({ input: stdin, crlfDelay: Infinity });
  const answers = lines[Symbol.asyncIterator]();
  const leave = (): void => lines.close();
  stop.addEventListener("abort", leave, { once: true });

  async function nextLine(): Promise<string> {
    const next: IteratorResult<string, unknown> = await answers.next();
    if (next.done === true) throw new SteadingError("USAGE", "There was no answer; nothing was written.");
    return next.value;
  }

  return {
    say: (text) => void stderr.write(`${text}\n`),
    async ask(question, otherwise, read) {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        stderr.write(`${question} [${otherwise}] `);
        const answer = (await nextLine()).trim();
        const value = read(answer === "" ? otherwise : answer);
        if (value !== undefined) return value;
        stderr.write("That is not possible here.\n");
      }
      throw new SteadingError("USAGE", "There was no answer that could be used; nothing was written.");
    },
    close() {
      stop.removeEventListener("abort", leave);
      lines.close();
    },
  };
}
