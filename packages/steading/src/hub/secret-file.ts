import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SteadingError } from "@steading/kernel";

const BYTES = 32;

/** A secret of this installation: made once, kept in the data directory for its owner alone, never printed. */
export function secretFile(data: string, name: string): Uint8Array {
  const file = join(data, name);
  return read(file) ?? make(data, file);
}

function make(data: string, file: string): Uint8Array {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const half = `${file}.${process.pid}`;
  try {
    writeFileSync(half, randomBytes(BYTES), { mode: 0o600, flag: "wx" });
    // A link fails when the name is taken, a rename would overwrite: what was there first stays the secret.
    linkSync(half, file);
  } catch (error) {
    if (!isTaken(error)) throw error;
  } finally {
    rmSync(half, { force: true });
  }
  const made = read(file);
  if (!made) throw broken(file);
  return made;
}

function read(file: string): Uint8Array | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  if (bytes.length !== BYTES) throw broken(file);
  return bytes;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

function broken(file: string): SteadingError {
  return new SteadingError("SECRET_BROKEN", `The secret in ${file} is not whole.`, {
    hint: "Remove the file; the hub makes another one, and calls that wait for an answer of their client start over.",
  });
}
