import { resolve } from "node:path";
import { createRealClock, SteadingError } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { askDesk, type DeskAddress } from "../local/desk.ts";
import { dataDirectory } from "../settings/data-directory.ts";
import { readEnvironment } from "../settings/environment.ts";
import type { World } from "../world.ts";

export interface BackupFlags extends DeskAddress {
  readonly json?: true;
}

/** Copies the state into a directory that must not exist yet; the hub may run meanwhile. */
export async function backup(to: string, flags: BackupFlags, world: World): Promise<number> {
  const target = resolve(world.workingDirectory, to);
  const answer = await askDesk(flags, world, "backup_hub", { to: target });
  const size = (Number(answer["bytes"]) / 1_048_576).toFixed(1);
  const words =
    `Backed up ${size} MiB to ${target}.\n` +
    "Secrets (jwt.key, state.key) and settings are not in it; keep those files as well.\n";
  world.stdout.write(flags.json ? `${JSON.stringify(answer)}\n` : words);
  return EXIT.ok;
}

/** Checks a backup and lays it ready. Nothing changes until the hub starts the next time. */
export async function restore(
  from: string | undefined,
  flags: BackupFlags & { readonly cancel?: true },
  world: World,
): Promise<number> {
  if ((from === undefined) !== (flags.cancel === true))
    throw new SteadingError("USAGE", "Give the directory of a backup, or --cancel.");
  if (from === undefined) return cancelRestore(flags, world);
  const data = dataDirectory(flags.data, readEnvironment(world.variables));
  const { stageRestore } = await import("@steading/store");
  const source = resolve(world.workingDirectory, from);
  const { stagedAt, backup: made } = await stageRestore({ dir: data, from: source, clock: createRealClock() });
  const madeAt = new Date(made.madeAt).toISOString();
  const answer = { staged_at: new Date(stagedAt).toISOString(), made_at: madeAt, applied: "at the next start" };
  const words =
    `The backup of ${madeAt} is checked and lies ready. Nothing has changed yet.\n` +
    "The next start of the hub takes it up, moves the present state to before-restore-<time>/ in the data directory,\n" +
    "and comes up disarmed: it switches nothing on until you have looked around and run `steading arm`.\n" +
    "Changed your mind? `steading restore --cancel`.\n";
  world.stdout.write(flags.json ? `${JSON.stringify(answer)}\n` : words);
  return EXIT.ok;
}

async function cancelRestore(flags: BackupFlags, world: World): Promise<number> {
  const data = dataDirectory(flags.data, readEnvironment(world.variables));
  const { cancelRestore: cancel } = await import("@steading/store");
  const cancelled = cancel(data);
  const words = cancelled ? "The restore is cancelled.\n" : "No restore lay ready.\n";
  world.stdout.write(flags.json ? `${JSON.stringify({ cancelled })}\n` : words);
  return EXIT.ok;
}
