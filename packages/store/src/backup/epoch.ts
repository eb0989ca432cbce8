import { randomUUID } from "node:crypto";
import { newRecord, type Clock, type Ledger } from "@steading/kernel";
import type { AppliedRestore } from "./apply-restore.ts";
import { dropOverdueTimers } from "./overdue-timers.ts";

/** Why the hub must not act by itself until somebody has looked. */
export interface Disarmed {
  readonly since: number;
  readonly because: "restore";
  /** When the backup was made: whatever fell due between then and `since` is overdue and must be dropped. */
  readonly backupMadeAt: number;
  /** Live timers that were overdue and are gone. */
  readonly timersDropped: number;
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
  /** Where timers are kept; see `TimerEntry`. */
  readonly timerSpaces: readonly string[];
}

/** A restore begins an epoch and disarms; otherwise the one that is there goes on. */
export async function openEpoch({ ledger, born, clock, restored, timerSpaces }: OpenEpoch): Promise<Epoch> {
  const known = ledger.get(SPACE, EPOCH)?.value;
  let id = typeof known === "string" ? known : born;
  if (restored) {
    id = randomUUID();
    await begin({ ledger, clock, restored, timerSpaces, id });
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
        records: [newRecord(clock, "audit", { kind: "store.armed", data: { by } })],
      });
    },
  };
}

async function begin({
  ledger,
  clock,
  restored,
  timerSpaces,
  id,
}: Omit<OpenEpoch, "born"> & { restored: AppliedRestore; id: string }) {
  const at = clock.now();
  const backupMadeAt = restored.staged.backup.madeAt;
  // Before the epoch is on record: a kill in between leaves a restore that the next start carries on.
  const timersDropped = await dropOverdueTimers({ ledger, spaces: timerSpaces, now: at });
  await ledger.commit({
    durability: "fixed",
    puts: [
      { space: SPACE, key: EPOCH, value: id },
      { space: SPACE, key: DISARMED, value: { since: at, because: "restore", backupMadeAt, timersDropped } },
    ],
    records: [
      newRecord(clock, "audit", {
        kind: "store.restored",
        data: { epoch: id, backupMadeAt, timersDropped, before: restored.before },
      }),
    ],
  });
}
