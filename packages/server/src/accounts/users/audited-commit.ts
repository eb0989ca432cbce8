import type { Caller, Commit, Journal, JsonObject } from "@steading/kernel";

/** A change of accounts: rows and their audit record together, fsynced before anybody is told that it happened. */
export type AuditedCommit = (change: {
  readonly by: Caller;
  readonly kind: string;
  readonly data: JsonObject;
  readonly lines: Pick<Commit, "expect" | "puts" | "deletes">;
  /** Whose rights this takes or alters; everybody who remembers them forgets at once. */
  readonly touches?: string;
  /** Takes rights away and gives none: also on a full disk. */
  readonly takesAway?: boolean;
  /** The moment of no return. */
  beforeCommit?: (() => void) | undefined;
}) => Promise<void>;

export function createAuditedCommit({
  journal,
  changed,
}: {
  readonly journal: Journal;
  changed(principal: string): void;
}): AuditedCommit {
  return async ({ by, kind, data, lines, touches, takesAway = false, beforeCommit }) => {
    beforeCommit?.();
    const { principal, transport, correlation } = by;
    const record = journal.record("audit", { kind, correlation, data: { ...data, by: principal, transport } });
    const done = journal.commit({ ...lines, durability: "fixed", records: [record], reserve: takesAway });
    // The ledger shows the change at once, so nobody may go on trusting what they remember while the disk works.
    if (touches !== undefined) changed(touches);
    await done;
  };
}
