import type { Commit, Entry, Ledger } from "@steading/kernel";
import { storeError } from "./store-errors.ts";

/** One step in the shape of a part's entries. Steps are only ever added at the end; a released one is never edited. */
export interface PartMigration {
  readonly says: string;
  /** What to write and delete. Sees the state as it is; an empty one must be no trouble. */
  migrate(state: PartState): Pick<Commit, "puts" | "deletes">;
}

export interface PartMigrations {
  /** The part, such as `farm`. */
  readonly owner: string;
  readonly steps: readonly PartMigration[];
}

/** What a step may look at. */
export interface PartState {
  get(space: string, key: string): Entry | undefined;
  /** Every entry of a space, however many. */
  entries(space: string): Iterable<{ readonly key: string; readonly entry: Entry }>;
}

export interface MigrateParts {
  readonly ledger: Ledger;
  readonly parts: readonly PartMigrations[];
  /** Called once, before the first step that changes entries that were there. */
  readonly backup: () => Promise<unknown>;
}

const SPACE = "store.schema";

/** Each step and its number are one commit: a kill leaves one shape or the other, never a mixture. */
export async function migrateParts({ ledger, parts, backup }: MigrateParts): Promise<void> {
  const behind = parts.map((part) => ({ part, version: versionOf(ledger, part) }));
  for (const { part, version } of behind) {
    if (version <= part.steps.length) continue;
    const message = `The data of ${part.owner} has schema ${version}, this version of Steading knows up to ${part.steps.length}`;
    throw storeError("SCHEMA_NEWER", message, { details: { owner: part.owner, version, knows: part.steps.length } });
  }
  const state = readable(ledger);
  let backedUp = false;
  for (const { part, version } of behind) {
    for (const [index, step] of part.steps.entries()) {
      if (index < version) continue;
      const { puts = [], deletes = [] } = step.migrate(state);
      if (!backedUp && puts.length + deletes.length > 0) {
        await backup();
        backedUp = true;
      }
      const number = { space: SPACE, key: part.owner, value: index + 1 };
      await ledger.commit({ durability: "fixed", puts: [...puts, number], deletes });
    }
  }
}

function versionOf(ledger: Ledger, { owner }: PartMigrations): number {
  const value = ledger.get(SPACE, owner)?.value;
  return typeof value === "number" ? value : 0;
}

function readable(ledger: Ledger): PartState {
  return {
    get: (space, key) => ledger.get(space, key),
    *entries(space) {
      for (
        let page = ledger.list(space);
        page.length > 0;
        page = ledger.list(space, { after: page.at(-1)?.key ?? "" })
      ) {
        yield* page;
      }
    },
  };
}
