import { SteadingError, type JsonObject } from "@steading/kernel";
import type { World } from "./tool-world.ts";
import type { SubjectActionRecord } from "./tools-config.ts";

type Told = Omit<SubjectActionRecord, "at" | "caller">;

/** Puts what was done on record before it is answered. Throws when that fails: done and not on record is no plain success. */
export async function recordDone(world: World, ...records: readonly Told[]): Promise<void> {
  try {
    await hand(world, records);
  } catch (cause) {
    world.log.error("A change was made and could not be put on record.", cause, { path: records[0]?.path ?? "" });
    if (!(cause instanceof SteadingError)) throw cause;
    const details: JsonObject = { ...cause.details, done: true };
    throw new SteadingError(cause.code, `It was done, but could not be put on record. ${cause.message}`, {
      details,
      retryable: false,
      cause,
    });
  }
}

/** The same for what was refused or failed; the caller hears of that, whatever becomes of the record. */
export async function recordRefused(world: World, ...records: readonly Told[]): Promise<void> {
  try {
    await hand(world, records);
  } catch (cause) {
    world.log.error("A refused change could not be put on record.", cause, { path: records[0]?.path ?? "" });
  }
}

async function hand(world: World, records: readonly Told[]): Promise<void> {
  const { journal } = world.config;
  if (journal === undefined) return;
  const at = world.graph.clock.now();
  // Together, so that a store can take them in one commit.
  await Promise.all(records.map(async (record) => journal({ at, caller: world.caller, ...record })));
}

export function codeOf(error: unknown): string {
  return error instanceof SteadingError ? error.code : "INTERNAL";
}
