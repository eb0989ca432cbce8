import type { Readable, Writable } from "node:stream";

/** What a command can see of the process it runs in. Handed in, so that commands run in tests as they do for people. */
export interface World {
  /** Without node and script. */
  readonly argv: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly workingDirectory: string;
  /** Aborts when somebody wants the process to end. */
  readonly stop: AbortSignal;
}
