import type { StoredAction } from "./action-store.ts";
import type { Outcome } from "./effect.ts";
import type { Log } from "./log.ts";

/** Commits that are under way at once while open actions are written down. */
const WRITTEN_TOGETHER = 64;

/**
 * First writes down, for every reservation that a crash left open, that what became of it is not known: a byte may have
 * left. Then looks at each, however long that takes, and returns the ids of those that stay in doubt. Targets are looked
 * at side by side, the actions of one target one after the other.
 */
export async function recoverActions({
  unfinished,
  interrupt,
  look,
  signal,
  log,
  together,
}: {
  readonly unfinished: readonly StoredAction[];
  readonly interrupt: (action: StoredAction) => Promise<void>;
  readonly look: (action: StoredAction) => Promise<Outcome>;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly together: number;
}): Promise<readonly string[]> {
  const open = unfinished.filter(({ outcome }) => outcome === undefined);
  for (let from = 0; from < open.length; from += WRITTEN_TOGETHER) {
    await Promise.all(open.slice(from, from + WRITTEN_TOGETHER).map(interrupt));
  }
  const byTarget = new Map<string, StoredAction[]>();
  for (const action of unfinished) byTarget.set(action.target, [...(byTarget.get(action.target) ?? []), action]);
  const targets = [...byTarget.values()];
  const inDoubt: string[] = [];

  async function lookAt(action: StoredAction): Promise<void> {
    if (signal.aborted) {
      inDoubt.push(action.id);
      return;
    }
    try {
      const { receipt } = await look(action);
      if (receipt.stage === "unknown") inDoubt.push(action.id);
    } catch (error) {
      inDoubt.push(action.id);
      log.error("An open action could not be looked at.", error, { action: action.id });
    }
  }

  async function work(): Promise<void> {
    for (let group = targets.shift(); group; group = targets.shift()) {
      for (const action of group) await lookAt(action);
    }
  }
  await Promise.all(Array.from({ length: together }, work));
  return inDoubt;
}
