import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";

/**
 * What a whole test run left behind: everything that hubs and commands wrote for people or programs to read, and, apart
 * from it, every secret that was used meanwhile. The last test of a run holds the one against the other.
 * `npm test` makes the folder and names it; a test that is run by itself records nothing.
 */
const RUN_FOLDER_VARIABLE = "STEADING_RUN_FOLDER";

export type OutputKind = "logs" | "metrics" | "errors";

export function runFolder(): string | undefined {
  return process.env[RUN_FOLDER_VARIABLE];
}

/** Keeps a piece of output. One file for each process and kind: two that write at once must not mix their lines. */
export function recordOutput(kind: OutputKind, piece: string): void {
  const folder = runFolder();
  if (folder === undefined || piece === "") return;
  mkdirSync(join(folder, kind), { recursive: true });
  appendFileSync(join(folder, kind, `${process.pid}.txt`), piece.endsWith("\n") ? piece : `${piece}\n`);
}

/** Keeps all that comes out of a stream. Pieces are kept as they come; a secret torn in two would be missed. */
export function recordStream(kind: OutputKind, stream: Readable | null | undefined): void {
  let text = "";
  stream?.on("data", (piece: Buffer | string) => (text += String(piece)));
  stream?.once("close", () => recordOutput(kind, text));
}

/** What a hub made for itself at its first start; one that was given a secret has made none. */
export function registerSecretFiles(data: string): void {
  for (const name of ["jwt.key", "state.key"].map((file) => join(data, file))) {
    if (existsSync(name)) secret(readFileSync(name));
  }
}

/** Nothing of this may ever be found in any output. Answers the secret, so that it can be registered where it is named. */
export function secret<T extends string | Uint8Array>(value: T): T {
  const folder = runFolder();
  if (folder !== undefined) {
    mkdirSync(join(folder, "secrets"), { recursive: true });
    const base64 = Buffer.from(value).toString("base64");
    appendFileSync(join(folder, "secrets", `${process.pid}.txt`), `${base64}\n`);
  }
  return value;
}
