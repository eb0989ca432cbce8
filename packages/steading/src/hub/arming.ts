import type { Caller, Health, Journal, Ledger } from "@steading/kernel";
import type { Store } from "@steading/store";
import { hubError } from "./hub-errors.ts";

/** Why the hub switches nothing on until a person has looked. */
export interface Held {
  readonly since: number;
  readonly because: "restore" | "estop";
}

/** Whether the hub may act. Kept in its state, so that neither a restart nor a crash lets it go on by itself. */
export interface Arming {
  held(): Held | undefined;
  /** What the door asks before every effect towards live. Throws HUB_DISARMED while the hub is held. */
  access(setting: "read" | "write"): "read" | "write";
  health(): Health;
  /** From here on nothing is switched on. Does nothing when it is held already. */
  stop(by: Caller): Promise<void>;
  /** Somebody has looked: the hub may act again. */
  arm(by: Caller): Promise<void>;
}

const SPACE = "hub";
const STOPPED = "stopped";

export function createArming({
  store,
  journal,
  clock,
}: {
  readonly store: Pick<Store, "disarmed" | "arm"> & { readonly ledger: Pick<Ledger, "get"> };
  readonly journal: Pick<Journal, "commit" | "record">;
  readonly clock: { now(): number };
}): Arming {
  const stopped = () => store.ledger.get(SPACE, STOPPED);

  /** An emergency stop says more than a restore: somebody meant it. */
  function held(): Held | undefined {
    const entry = stopped();
    // Written below, and nowhere else.
    if (entry) return { since: (entry.value as { readonly since: number }).since, because: "estop" };
    const disarmed = store.disarmed();
    return disarmed && { since: disarmed.since, because: "restore" };
  }

  return {
    held,
    access(setting) {
      const why = held();
      if (why === undefined) return setting;
      throw hubError("HUB_DISARMED", `${sentence(why)} Nothing is switched on until then.`, {
        details: { since: new Date(why.since).toISOString(), because: why.because },
      });
    },
    health() {
      const why = held();
      return why === undefined ? { status: "ok" } : { status: "degraded", reason: sentence(why) };
    },
    async stop(by) {
      if (stopped()) return;
      await journal.commit({
        durability: "fixed",
        reserve: true,
        puts: [{ space: SPACE, key: STOPPED, value: { since: clock.now(), by: by.principal } }],
        records: [
          journal.record("audit", {
            kind: "hub.stopped",
            correlation: by.correlation,
            data: { by: by.principal, through: by.transport },
          }),
        ],
      });
    },
    async arm(by) {
      const entry = stopped();
      if (entry) {
        await journal.commit({
          durability: "fixed",
          expect: [{ space: SPACE, key: STOPPED, revision: entry.revision }],
          deletes: [{ space: SPACE, key: STOPPED }],
          records: [
            journal.record("audit", {
              kind: "hub.armed",
              correlation: by.correlation,
              data: { by: by.principal, through: by.transport },
            }),
          ],
        });
      }
      await store.arm(by.principal);
    },
  };
}

const AFTER = { restore: "a restore", estop: "an emergency stop" } as const satisfies Record<Held["because"], string>;

function sentence({ since, because }: Held): string {
  return `Disarmed since ${new Date(since).toISOString()}, after ${AFTER[because]}; look around, then run \`steading arm\`.`;
}

/** The same, and somebody is told whenever it changes. */
export function tellingArming(arming: Arming, tell: (armed: boolean) => void): Arming {
  const telling = (change: (by: Caller) => Promise<void>) => async (by: Caller) => {
    await change(by);
    tell(arming.held() === undefined);
  };
  return { ...arming, stop: telling(arming.stop), arm: telling(arming.arm) };
}
