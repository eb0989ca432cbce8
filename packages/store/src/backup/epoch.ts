import { randomUUID } from "node:crypto";
import type { Clock, Ledger } from "@steading/kernel";
import type { AppliedRestore } from "./apply-restore.ts";

/** Why the hub must not act by itself until somebody has looked. */
export interface Disarmed {
  readonly since: number;
  readonly because: "restore";
  /** When the backup was made: whatever fell due between then and `since` is overdue and must be dropped. */
  readonly backupMadeAt: number;
}

/** Which life of the state this is. Numbers given out in another epoch may name other things here. */
export interface Epoch {
  readonly id: string;
  disarmed(): Disarmed | undefined;
  /** Somebody has looked: the hub may act again. Does nothing when it is armed. */
  arm(by: string): Promise<void>;
}

const SPACE = "store";
const EPOCH = "epoch";
const DISARMED = "disarmed";

export interface OpenEpoch {
  readonly ledger: Ledger;
  /** The name that the database was born with. */
  readonly born: string;
  readonly clock: Pick<Clock, "now">;
  readonly restored: AppliedRestore | undefined;
}

/** A restore begins an epoch and disarms; otherwise the one that is there goes on. */
export async function openEpoch({ ledger, born, clock, restored }: OpenEpoch): Promise<Epoch> {
  const known = ledger.get(SPACE, EPOCH)?.value;
  let id = typeof known === "string" ? known : born;
  if (restored) {
    id = randomUUID();
    await begin({ ledger, clock, restored, id });
    restored.finish();
  }
  return {
    id,
    // Written above, and nowhere else.
    disarmed: () => ledger.get(SPACE, DISARMED)?.value as unknown as Disarmed | undefined,
    async arm(by) {
      const entry = ledger.get(SPACE, DISARMED);
      if (!entry) return;
      await ledger.commit({
        durability: "fixed",
        expect: [{ space: SPACE, key: DISARMED, revision: entry.revision }],
        deletes: [{ space: SPACE, key: DISARMED }],
        records: [{ stream: "audit", kind: "store.armed", at: clock.now(), data: { by } }],
      });
    },
  };
}

async function begin({
  ledger,
  clock,
  restored,
  id,
}: Omit<OpenEpoch, "born"> & { restored: AppliedRestore; id: string }) {
  const at = clock.now();
  const backupMadeAt = restored.staged.backup.madeAt;
  await ledger.commit({
    durability: "fixed",
    puts: [
      { space: SPACE, key: EPOCH, value: id },
      { space: SPACE, key: DISARMED, value: { since: at, because: "restore", backupMadeAt } },
    ],
    records: [
      { stream: "audit", kind: "store.restored", at, data: { epoch: id, backupMadeAt, before: restored.before } },
    ],
  });
}
