import type { Commit } from "@steading/kernel";
import { storeError } from "../store-errors.ts";
import type { StoreLimits } from "../store-limits.ts";
import type { CommitQueue } from "./commit-queue.ts";
import type { EncodedCommit } from "./encode-commit.ts";
import type { CountedLedger } from "./ledger-counters.ts";

export interface CommitCheckDeps {
  readonly limits: StoreLimits;
  readonly queue: CommitQueue;
  readonly stats: CountedLedger;
  /** The revision of an entry as the next commit sees it; 0 when there is none. */
  readonly revisionOf: (space: string, key: string) => number;
  readonly isFull: () => boolean;
}

/** Throws when a commit may not be taken. Nothing has happened by then, so nothing has to be taken back. */
export function createCommitCheck({ limits, queue, stats, revisionOf, isFull }: CommitCheckDeps) {
  return function check({ expect = [], reserve }: Commit, encoded: EncodedCommit): void {
    if (isFull() && reserve !== true) {
      stats.refusedFull++;
      throw storeError("STORE_FULL", "There is no room left on the disk of the data directory");
    }
    if (encoded.bytes > limits.commitBytes) {
      const message = `A commit of ${encoded.bytes} bytes is larger than the ${limits.commitBytes} that one may have`;
      throw storeError("COMMIT_TOO_LARGE", message);
    }
    for (const { space, key, revision } of expect) {
      const found = revisionOf(space, key);
      if (found === revision) continue;
      const details = { space, key, expected: revision, found };
      throw storeError("REVISION_STALE", `${space}/${key} has revision ${found}, not ${revision}`, { details });
    }
    if (!queue.accepts(encoded)) {
      stats.refusedBusy++;
      const details = { records: queue.records, bytes: queue.bytes };
      throw storeError("STORE_BUSY", `${queue.records} records wait for the disk already`, { details });
    }
  };
}
