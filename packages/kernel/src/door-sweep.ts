import type { ActionStore } from "./action-store.ts";
import type { Journal } from "./journal.ts";
import type { KeyStore } from "./key-store.ts";
import type { Log } from "./log.ts";

export interface SweepCounters {
  readonly actions: number;
  readonly keys: number;
  /** Actions in doubt that had to be let go of. */
  readonly doubtful: number;
  readonly failed: number;
}

/** Keeps actions and keys within their limits. */
export interface DoorSweep {
  /** Call after every outcome; it works only now and then. */
  tick(): void;
  readonly counters: SweepCounters;
}

export function createDoorSweep({
  actions,
  keys,
  isClaimed,
  journal,
  log,
  every,
}: {
  readonly actions: ActionStore;
  readonly keys: KeyStore;
  readonly isClaimed: (keyId: string) => boolean;
  readonly journal: Journal;
  readonly log: Log;
  readonly every: number;
}): DoorSweep {
  const counters = { actions: 0, keys: 0, doubtful: 0, failed: 0 };
  let ticks = 0;
  let running = false;

  async function sweep(): Promise<void> {
    const { settled, doubtful } = actions.sweep();
    const old = keys.sweep(isClaimed);
    if (settled.length + doubtful.length + old.length === 0) return;
    const deletes = [...actions.forget([...settled, ...doubtful]), ...old.map(keys.remove)];
    for (const id of old) keys.forget(id);
    const records = doubtful.map((action) =>
      journal.record("audit", { kind: "effect.forgotten", data: { action, why: "too many actions in doubt" } }),
    );
    if (doubtful.length > 0)
      log.warn("Actions in doubt were let go of: there are too many.", { count: doubtful.length });
    await journal.commit({ durability: records.length > 0 ? "fixed" : "kept", deletes, records });
    counters.actions += settled.length;
    counters.keys += old.length;
    counters.doubtful += doubtful.length;
  }

  return {
    tick() {
      ticks += 1;
      if (running || ticks % every !== 0) return;
      running = true;
      sweep()
        .catch((error: unknown) => {
          counters.failed += 1;
          log.error("Old actions and keys could not be swept.", error);
        })
        .finally(() => (running = false));
    },
    get counters() {
      return { ...counters };
    },
  };
}
