import { appendFileSync, readFileSync } from "node:fs";
import type { LampState } from "@steading/sim";

/** What the client knows, written down before it does the next thing. */
export type JournalLine =
  /** About to be sent; the first of several with one key means it was never sent before. */
  | { readonly kind: "sent"; readonly lamp: string; readonly key: string; readonly value: boolean }
  /** The hub answered with a receipt. */
  | {
      readonly kind: "answered";
      readonly lamp: string;
      readonly key: string;
      readonly action: string;
      readonly stage: string;
    }
  /** The hub refused before the first byte; the key is as good as unused. */
  | { readonly kind: "refused"; readonly lamp: string; readonly key: string; readonly code: string }
  /** What reached the lamp's wire in the time of this key; a key that was put off has its time twice. */
  | {
      readonly kind: "on-the-wire";
      readonly lamp: string;
      readonly key: string;
      readonly commands: readonly LampState[];
    };

export interface ClientJournal {
  add(line: JournalLine): void;
}

/** A file that only grows. Each line is handed to the system before the client goes on. */
export function createClientJournal({ file }: { file: string }): ClientJournal {
  return { add: (line) => appendFileSync(file, `${JSON.stringify(line)}\n`) };
}

export function readClientJournal(file: string): JournalLine[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as JournalLine); // our own file, written above
}
