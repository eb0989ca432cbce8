import { join, resolve } from "node:path";
import type { Environment } from "./environment.ts";

/**
 * Where a hub keeps its state: `--data`, else STEADING_DATA, else beside the database that DB_PATH names, else the place
 * the platform has for it.
 */
export function dataDirectory(given: string | undefined, environment: Environment): string {
  const chosen = given ?? environment.data;
  if (chosen !== undefined) return resolve(chosen);
  // A directory of its own: ours is for its owner's eyes alone, and what else lies there is not ours to judge.
  if (environment.databaseDirectory !== undefined) return resolve(environment.databaseDirectory, "steading");
  return join(environment.xdgDataHome ?? join(environment.home, ".local", "share"), "steading");
}

/** The hub's door for programs of the same user on the same machine. */
export function socketPath(data: string): string {
  return join(data, "steading.sock");
}

/**
 * The hub's door for its own commands: it serves accounts, tokens and upkeep besides, which no model should be offered,
 * and decisions made through it count as made by the person at the machine.
 */
export function controlPath(data: string): string {
  return join(data, "control.sock");
}
