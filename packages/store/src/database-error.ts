import type { SteadingError } from "@steading/kernel";
import type { DatabaseFailure } from "./sqlite/database-failure.ts";
import { storeError } from "./store-errors.ts";

const FULL = "There is no room left on the disk of the data directory";
const READ_ONLY = "The data directory is on a read-only file system";

/** What a thread reported, as an error for people. */
export function toStoreError({ code, message, sqlite }: DatabaseFailure): SteadingError {
  const readOnly = sqlite?.startsWith("SQLITE_READONLY") === true;
  const why = code === "STORE_FULL" ? FULL : readOnly ? READ_ONLY : message;
  return storeError(code, why, { details: { reason: message, ...(sqlite === undefined ? {} : { sqlite }) } });
}

/** What the operating system said about the directory itself. Errors of ours pass through. */
export function toDirectoryError(error: unknown, dir: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const details = { dir, ...(typeof code === "string" ? { system: code } : {}) };
  const extras = { cause: error, details };
  switch (code) {
    case "EROFS":
      return storeError("STORE_FAILED", `${READ_ONLY}: ${dir}`, {
        ...extras,
        hint: "Mount it for writing, or choose another directory with `--data`.",
      });
    case "EACCES":
    case "EPERM":
      return storeError("STORE_FAILED", `The data directory ${dir} may not be written by this user`, {
        ...extras,
        hint: "Give it to the user that runs the hub, or choose another directory with `--data`.",
      });
    case "ENOSPC":
    case "EDQUOT":
      return storeError("STORE_FULL", FULL, extras);
    case "ENOTDIR":
    case "EEXIST":
      return storeError("STORE_FAILED", `${dir} is not a directory`, extras);
    default:
      return error;
  }
}
