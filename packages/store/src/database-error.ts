import type { SteadingError } from "@steading/kernel";
import type { DatabaseFailure } from "./sqlite/database-failure.ts";
import { storeError } from "./store-errors.ts";

/** What a thread reported, as an error for people. */
export function toStoreError({ code, message, sqlite }: DatabaseFailure): SteadingError {
  const why = code === "STORE_FULL" ? "There is no room left on the disk of the data directory" : message;
  return storeError(code, why, { details: { reason: message, ...(sqlite === undefined ? {} : { sqlite }) } });
}
